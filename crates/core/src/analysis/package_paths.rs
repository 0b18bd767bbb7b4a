//! Paths of files in packages, as tables print them, and the contents of these files.

use std::rc::Rc;

use super::package::PackageFiles;
use crate::model::suggest::nearest;
use crate::model::{Document, NodeId, PathError, Span, is_pattern, matches_pattern};

impl Document {
    /// Returns the nodes at a path, or that match a pattern: a path as [`Document::path`] writes it, or
    /// as tables print it: the path of a file in a package, and the path of a part within the file
    /// (`pkg/lib.so/image 3`).
    ///
    /// # Errors
    ///
    /// If there are no matches, or too many.
    pub fn find_parts(&mut self, path: &str) -> Result<Vec<NodeId>, PathError> {
        let error = match self.find_all(path) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let Some(files) = self.package_files(NodeId::ROOT) else {
            return Err(error);
        };
        // Tables separate the file, the image and the archive member by dots.
        let path = path.replace(" · ", "/");
        let mut found = Vec::new();
        for index in 0..files.count() {
            let Some(file) = files.file(index) else {
                continue;
            };
            let rest = path.strip_prefix(&*file.path);
            let is_whole =
                rest == Some("") || is_pattern(&path) && matches_pattern(&file.path, &path);
            let rest = rest.and_then(|rest| rest.strip_prefix('/'));
            let rest = rest.filter(|_| !file.path.is_empty() && !file.path.ends_with('/'));
            if !is_whole && rest.is_none() {
                continue;
            }
            let Some(entry) = self.entry_of(&files, index) else {
                continue;
            };
            match rest.filter(|_| !is_whole) {
                None => found.push(entry),
                Some(rest) => {
                    let Some(document) = self.file_in(entry) else {
                        continue;
                    };
                    let within = self.path(document);
                    found.extend(self.find_all(&format!("{within}/{rest}"))?);
                }
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
        let paths = (0..files.count()).filter_map(|index| Some(&*files.file(index)?.path));
        let near = nearest(&path, paths).map(str::to_owned);
        Err(PathError {
            near: near.or(error.near),
            ..error
        })
    }

    /// Returns the bytes of a part of the file, as [`Document::part`]; of an entry of a package, the
    /// bytes of its file: decompressed, unless `packed`.
    pub fn file_part(&mut self, id: NodeId, packed: bool) -> Option<Span> {
        match self.data_of(id) {
            Some(data) => self.part(data, packed),
            None => self.part(id, packed),
        }
    }

    /// Returns the entry of a file of the opened package.
    fn entry_of(&mut self, files: &Rc<dyn PackageFiles>, index: usize) -> Option<NodeId> {
        let data = files.data(index, &self.sources);
        let ids = self.nodes_for(data);
        let is_entry = |id: &NodeId| {
            let node = self.node(*id)?;
            let is_top = node.parent == Some(NodeId::ROOT);
            is_top.then_some(*id)
        };
        ids.iter().find_map(is_entry)
    }

    /// Returns the stored data of an entry of a package.
    fn data_of(&mut self, id: NodeId) -> Option<NodeId> {
        let node = self.node(id)?.clone();
        let files = self.package_files(node.parent?)?;
        let data = files.data(files.file_at(node.span?)?, &self.sources);
        if node.span == Some(data) {
            return None;
        }
        let count = self.count(&node);
        let mut children = self.children(id, 0..count).into_iter();
        children.find(|child| self.node(*child).and_then(|node| node.span) == Some(data))
    }

    /// Returns the document in an entry of a package, after decompression.
    fn file_in(&mut self, entry: NodeId) -> Option<NodeId> {
        use crate::model::NodeKind;
        let stored = self.data_of(entry).unwrap_or(entry);
        match self.node(stored)?.kind {
            NodeKind::Packed => self.children(stored, 0..1).pop(),
            _ => Some(stored),
        }
    }
}
