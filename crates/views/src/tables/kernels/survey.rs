//! Summaries of the kernels that are read so far.

use std::rc::Rc;

use super::part::Part;
use super::reading::{KernelReading, kernels_of, with_only_spirv};
use crate::tables::files::FilesRead;
use crate::tables::{List, matrix};
use zeview_analysis::matrix::{KernelMatrix, MatrixBuilder};
use zeview_analysis::survey::{Survey, SurveyBuilder, SurveyedImage};
use zeview_core::analysis::kernels::{KernelRow, Kernels};
use zeview_core::model::{Document, NodeId, Sources, Span, Str, sort};

/// Reads all images of a container, and summarizes them by device. Returns `None` for a document
/// that has kernels itself, or no images with kernels.
pub fn survey(document: &mut Document, id: NodeId) -> Option<Survey> {
    let mut reading = KernelReading::new(document, id)?;
    while reading.step(document) {}
    Some(reading.survey())
}

/// The kernels of an image.
#[derive(Clone)]
pub(crate) struct ImageKernels {
    /// The device that the image is for; `SPIR-V` for code that is compiled at run time.
    pub device: Str,
    /// Whether it is SPIR-V.
    pub is_spirv: bool,
    /// The path of its node.
    pub path: String,
    /// Its bytes.
    pub span: Span,
    /// Its kernels and functions.
    pub rows: Rc<Vec<KernelRow>>,
    /// Their provider; `None` if only their names were read.
    pub kernels: Option<Rc<dyn Kernels>>,
    /// Kernels of SPIR-V that also have native code, and no rows.
    pub also_native: Rc<Vec<String>>,
    /// Whether an earlier image has the same bytes and device.
    pub is_copy: bool,
}

/// The kernels of a document, or of all images in it.
#[derive(Clone)]
pub struct DocumentKernels {
    /// The images, those of a package by path: the order of reading has no meaning.
    pub(crate) images: Vec<ImageKernels>,
    /// What was not read, and why.
    pub(crate) notes: Vec<String>,
}

/// Reads the kernels of a document, or of all images in it. Returns `None` for a document without
/// kernels.
pub(crate) fn document_kernels(document: &mut Document) -> Option<DocumentKernels> {
    if let Some(part) = kernels_of(document, NodeId::ROOT) {
        let parts = with_only_spirv(part, &document.sources).into_iter();
        return Some(DocumentKernels {
            images: parts.map(|part| of_image(&part)).collect(),
            notes: Vec::new(),
        });
    }
    let mut reading = KernelReading::new(document, NodeId::ROOT)?;
    while reading.step(document) {}
    Some(reading.kernels())
}

fn of_image(part: &Part) -> ImageKernels {
    ImageKernels {
        device: part.device.clone(),
        is_spirv: part.is_spirv,
        path: part.path.clone(),
        span: part.span,
        rows: Rc::clone(&part.rows),
        kernels: part.kernels.clone(),
        also_native: Rc::clone(&part.also_native),
        is_copy: part.is_copy,
    }
}

impl KernelReading {
    /// Returns the kernels read so far.
    pub fn kernels(&self) -> DocumentKernels {
        let mut parts: Vec<&Rc<Part>> = self.parts.iter().collect();
        sort::by_key(&mut parts, |part| part.file.clone());
        DocumentKernels {
            images: parts.into_iter().map(|part| of_image(part)).collect(),
            notes: self.notes(),
        }
    }

    /// Returns a summary of the images read so far, by device.
    pub fn survey(&self) -> Survey {
        let mut survey = SurveyBuilder::new(self.progress());
        self.surveyed().for_each(|part| survey.add(part));
        survey.finish()
    }

    /// Returns the kernels read so far, by device.
    pub fn matrix(&self) -> KernelMatrix {
        let mut matrix = MatrixBuilder::new(self.progress());
        self.surveyed().for_each(|part| matrix.add(&part));
        matrix.finish()
    }

    /// Returns the list of the kernels read so far, by device.
    pub fn matrix_list(&mut self, sources: &Sources) -> Rc<dyn List> {
        self.list_of_matrix(Rc::new(self.matrix()), sources)
    }

    /// Returns the list of a matrix of these kernels.
    pub fn list_of_matrix(&mut self, matrix: Rc<KernelMatrix>, sources: &Sources) -> Rc<dyn List> {
        matrix::list(matrix, self.short_names(sources))
    }

    /// Notes the kernels and devices of each file of a package, for the list of files.
    pub fn describe_files(&self, document: &mut Document) {
        if self.files.is_some() {
            let parts = self.parts.iter();
            let parts = parts.map(|part| (part.file.clone(), part.device.clone()));
            let parts: Vec<(Str, Str)> = parts.collect();
            let read = FilesRead::of(&self.matrix(), &parts);
            document.extensions.insert(read);
        }
    }

    fn surveyed(&self) -> impl Iterator<Item = SurveyedImage<'_>> {
        self.parts.iter().map(|part| SurveyedImage {
            device: &part.device,
            is_native: part.is_native(),
            is_foreign: part.is_foreign,
            image: (&part.file, &part.image),
            bytes: part.span.len(),
            rows: &part.rows,
            also_native: &part.also_native,
            has_spirv: part.has_spirv,
            is_copy: part.is_copy,
        })
    }
}
