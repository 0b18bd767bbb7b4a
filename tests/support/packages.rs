//! Builders of packages: zip and tar archives, gzip.

use miniz_oxide::deflate::compress_to_vec;
use zeview::model::{ListedFile, folder_list};

use super::spirv;
use super::zebin::small;

/// A file of a zip archive, with everything that can be wrong with it.
#[derive(Clone)]
pub struct ZipFile {
    pub name: String,
    pub bytes: Vec<u8>,
    pub method: u16,
    pub flags: u16,
    /// The stored data, instead of the compressed bytes.
    pub data: Option<Vec<u8>>,
    /// The name in the local header, if it is another one.
    pub local_name: Option<String>,
    /// Changes the CRC-32 in both headers.
    pub crc: u32,
    /// The size in both headers, instead of that of the bytes.
    pub size: Option<u32>,
    /// Whether the sizes are in Zip64 extra fields.
    pub is_64: bool,
}

/// A deflated file.
pub fn deflated(name: &str, bytes: &[u8]) -> ZipFile {
    ZipFile {
        method: 8,
        ..stored(name, bytes)
    }
}

/// A file without compression.
pub fn stored(name: &str, bytes: &[u8]) -> ZipFile {
    ZipFile {
        name: name.to_owned(),
        bytes: bytes.to_vec(),
        method: 0,
        flags: 0,
        data: None,
        local_name: None,
        crc: 0,
        size: None,
        is_64: false,
    }
}

impl ZipFile {
    /// Writes the sizes behind the data, with 0 in the local header.
    pub fn with_descriptor(mut self) -> ZipFile {
        self.flags |= 8;
        self
    }

    /// Writes the sizes into Zip64 extra fields.
    pub fn with_zip64(mut self) -> ZipFile {
        self.is_64 = true;
        self
    }

    fn data(&self) -> Vec<u8> {
        match (&self.data, self.method) {
            (Some(data), _) => data.clone(),
            (None, 8) => compress_to_vec(&self.bytes, 6),
            (None, _) => self.bytes.clone(),
        }
    }

    /// Version, flags, method, time, date, CRC-32, sizes, length of the name.
    fn fields(&self, name: &str, is_local: bool) -> Vec<u8> {
        let mut fields = Vec::new();
        // 2026-10-26 07:20:00
        for word in [
            20,
            self.flags,
            self.method,
            7 << 11 | 20 << 5,
            46 << 9 | 10 << 5 | 26,
        ] {
            fields.extend(u16::to_le_bytes(word));
        }
        let size = self.size.unwrap_or(self.bytes.len() as u32);
        let words = [
            crc32(&self.bytes) ^ self.crc,
            self.data().len() as u32,
            size,
        ];
        for (at, word) in words.into_iter().enumerate() {
            let word = match (is_local && self.flags & 8 != 0, self.is_64 && at > 0) {
                (_, true) => u32::MAX,
                (true, _) => 0,
                _ => word,
            };
            fields.extend(word.to_le_bytes());
        }
        fields.extend((name.len() as u16).to_le_bytes());
        fields
    }

    fn extra(&self) -> Vec<u8> {
        if !self.is_64 {
            return Vec::new();
        }
        let sizes = [self.bytes.len() as u64, self.data().len() as u64];
        [
            [1_u16, 16].map(u16::to_le_bytes).concat(),
            sizes.map(u64::to_le_bytes).concat(),
        ]
        .concat()
    }
}

/// A zip archive, with these bytes in front of it and a comment.
pub fn zip_with(before: &[u8], files: &[ZipFile], comment: &str) -> Vec<u8> {
    let mut out = before.to_vec();
    let mut directory = Vec::new();
    for file in files {
        let offset = out.len() - before.len();
        let local_name = file.local_name.as_ref().unwrap_or(&file.name);
        let extra = file.extra();
        out.extend(b"PK\x03\x04");
        out.extend(file.fields(local_name, true));
        out.extend((extra.len() as u16).to_le_bytes());
        out.extend(local_name.bytes());
        out.extend(&extra);
        out.extend(file.data());
        if file.flags & 8 != 0 {
            out.extend(b"PK\x07\x08");
            out.extend(crc32(&file.bytes).to_le_bytes());
            let sizes = [file.data().len(), file.bytes.len()];
            out.extend(sizes.map(|size| (size as u32).to_le_bytes()).concat());
        }
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(file.fields(&file.name, false));
        directory.extend((extra.len() as u16).to_le_bytes());
        directory.extend([0; 6]);
        directory.extend([0, 0, 0xa4, 0x81]);
        directory.extend((offset as u32).to_le_bytes());
        directory.extend(file.name.bytes());
        directory.extend(&extra);
    }
    let start = (out.len() - before.len()) as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    let count = (files.len() as u16).to_le_bytes();
    out.extend([count, count].concat());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend((comment.len() as u16).to_le_bytes());
    out.extend(comment.bytes());
    out
}

pub fn zip(files: &[ZipFile]) -> Vec<u8> {
    zip_with(&[], files, "")
}

/// Adds a Zip64 end record and its locator to an archive without a comment.
pub fn with_zip64_end(mut zip: Vec<u8>) -> Vec<u8> {
    let end = zip.split_off(zip.len() - 22);
    let word = |at: usize, len: usize| {
        let mut bytes = [0; 8];
        bytes[..len].copy_from_slice(&end[at..at + len]);
        u64::from_le_bytes(bytes)
    };
    let start = zip.len() as u64;
    zip.extend(b"PK\x06\x06");
    zip.extend(44_u64.to_le_bytes());
    zip.extend([45_u16, 45].map(u16::to_le_bytes).concat());
    zip.extend([0; 8]);
    let numbers = [word(8, 2), word(10, 2), word(12, 4), word(16, 4)];
    zip.extend(numbers.map(u64::to_le_bytes).concat());
    zip.extend(b"PK\x06\x07\0\0\0\0");
    zip.extend(start.to_le_bytes());
    zip.extend(1_u32.to_le_bytes());
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend([0xff; 12]);
    zip.extend([0, 0]);
    zip
}

/// The CRC-32 of zip and gzip, bit by bit.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    !crc
}

/// A header of a tar archive, with its data and padding.
pub fn tar_entry(name: &str, kind: u8, data: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    let mut put =
        |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0001750\0");
    put(116, "0001750\0");
    put(124, &format!("{:011o}\0", data.len()));
    put(136, &format!("{:011o}\0", 1_793_000_000));
    put(148, "        ");
    put(257, "ustar\x0000");
    header[156] = kind;
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header.extend(data);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

/// A tar archive of these entries.
pub fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = entries.concat();
    bytes.resize((bytes.len() + 1024).next_multiple_of(10240), 0);
    bytes
}

/// A record of a pax header.
pub fn pax(key: &str, value: &str) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    // The length includes its own digits.
    let length = (1..).find(|len: &usize| len.to_string().len() + rest.len() == *len);
    format!("{}{rest}", length.unwrap()).into_bytes()
}

/// A gzip file with the name of the file.
pub fn gzip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 8];
    out.extend(1_793_000_000_u32.to_le_bytes());
    out.extend([0, 3]);
    out.extend(name.bytes());
    out.push(0);
    out.extend(compress_to_vec(bytes, 6));
    out.extend(crc32(bytes).to_le_bytes());
    out.extend((bytes.len() as u32).to_le_bytes());
    out
}

/// A package with files of several kinds, compressed and not.
pub fn usual_zip() -> Vec<u8> {
    let zebin = small().build().bytes;
    zip(&[
        deflated("a/kernel.zebin", &zebin),
        stored("a/kernel.spv", &spirv::kernel().build()),
        deflated("a/kernel.cl", b"kernel void k() {}\n"),
        stored("b/stored.zebin", &zebin),
        stored("b/", b""),
        deflated("c/empty", b""),
        deflated("d/behind.zebin", &zebin).with_descriptor(),
        deflated("e/large.zebin", &zebin).with_zip64(),
    ])
}

/// The same files as a tar archive, with long names in both forms.
pub fn usual_tar() -> Vec<u8> {
    let zebin = small().build().bytes;
    let long = format!("{}/kernel.zebin", "long".repeat(40));
    tar(&[
        tar_entry("a/", b'5', b""),
        tar_entry("a/kernel.zebin", b'0', &zebin),
        tar_entry(
            "PaxHeaders/x",
            b'x',
            &[pax("path", &long), pax("mtime", "1793000001.25")].concat(),
        ),
        tar_entry("cut", b'0', &zebin),
        tar_entry("././@LongLink", b'L', format!("{long}2\0").as_bytes()),
        tar_entry("cut", b'0', &spirv::kernel().build()),
        tar_entry("link", b'2', b""),
    ])
}

/// The same files as a folder, with one that cannot be read.
pub fn usual_folder() -> Vec<u8> {
    let zebin = small().build().bytes;
    let spirv = spirv::kernel().build();
    let files: [(&str, Result<&[u8], &str>); 5] = [
        ("a/kernel.cl", Ok(b"kernel void k() {}\n")),
        ("a/kernel.spv", Ok(&spirv)),
        ("a/kernel.zebin", Ok(&zebin)),
        ("b/empty", Ok(b"")),
        ("b/secret", Err("Permission denied")),
    ];
    folder(&files)
}

/// A folder with these files, or the reasons why they cannot be read.
pub fn folder(files: &[(&str, Result<&[u8], &str>)]) -> Vec<u8> {
    let listed = files.iter().map(|(path, bytes)| ListedFile {
        path: (*path).to_owned(),
        modified: path.contains('/').then_some(1_793_000_000),
        size: match bytes {
            Ok(bytes) => Ok(bytes.len() as u64),
            Err(reason) => Err((*reason).to_owned()),
        },
    });
    let list = folder_list(&listed.collect::<Vec<_>>()).into_bytes();
    let bytes = files.iter().filter_map(|(_, bytes)| bytes.ok());
    [list, bytes.collect::<Vec<_>>().concat()].concat()
}
