//! The binary form of what lowering gives, a module or an error, on its way from one process to
//! another.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ir::binary::{Binary, Input, write_slice};

use crate::LoadError;
use crate::link::Unlinked;

pub fn write(lowered: &Result<Unlinked, LoadError>) -> Vec<u8> {
    let mut out = Vec::new();
    match lowered {
        Ok(unlinked) => {
            out.push(0);
            unlinked.write(&mut out);
        }
        Err(error) => {
            out.push(1);
            write_error(error, &mut out);
        }
    }
    out
}

/// `None` if that is not all that was written.
pub fn read(bytes: &[u8]) -> Option<Result<Unlinked, LoadError>> {
    let (tag, rest) = bytes.split_first()?;
    match tag {
        0 => ir::binary::read(rest).map(Ok),
        1 => {
            let mut input = Input::new(rest);
            let error = read_error(&mut input)?;
            input.take(1).is_none().then_some(Err(error))
        }
        _ => None,
    }
}

fn write_error(error: &LoadError, out: &mut Vec<u8>) {
    let (tag, path, text): (u8, &Path, &str) = match error {
        LoadError::Compile { message } => (0, Path::new(""), message),
        LoadError::NoClang { reason } => (1, Path::new(""), reason),
        LoadError::Read { path, reason } => (2, path, reason),
        LoadError::UnknownKind { path } => (3, path, ""),
        LoadError::BadBitcode { path, reason } => (4, path, reason),
        LoadError::Link { path, reason } => (5, path, reason),
        LoadError::NoMain => (6, Path::new(""), ""),
        LoadError::NoFiles => (7, Path::new(""), ""),
        LoadError::Stopped => (8, Path::new(""), ""),
    };
    out.push(tag);
    write_slice(path.as_os_str().as_bytes(), out);
    write_slice(text.as_bytes(), out);
}

fn read_error(input: &mut Input<'_>) -> Option<LoadError> {
    let tag = u8::read(input)?;
    let path = PathBuf::from(OsStr::from_bytes(input.slice()?));
    let text = String::from_utf8(input.slice()?.to_vec()).ok()?;
    Some(match tag {
        0 => LoadError::Compile { message: text },
        1 => LoadError::NoClang { reason: text },
        2 => LoadError::Read { path, reason: text },
        3 => LoadError::UnknownKind { path },
        4 => LoadError::BadBitcode { path, reason: text },
        5 => LoadError::Link { path, reason: text },
        6 => LoadError::NoMain,
        7 => LoadError::NoFiles,
        8 => LoadError::Stopped,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_arrive_as_they_were() {
        let path = PathBuf::from(OsStr::from_bytes(b"not\xffutf-8.bc"));
        let text = || "so it is\n".to_owned();
        for error in [
            LoadError::Compile { message: text() },
            LoadError::NoClang { reason: text() },
            LoadError::Read {
                path: path.clone(),
                reason: text(),
            },
            LoadError::UnknownKind { path: path.clone() },
            LoadError::BadBitcode {
                path: path.clone(),
                reason: String::new(),
            },
            LoadError::Link {
                path: path.clone(),
                reason: text(),
            },
            LoadError::NoMain,
            LoadError::NoFiles,
            LoadError::Stopped,
        ] {
            let bytes = write(&Err(error.clone()));
            assert_eq!(read(&bytes).unwrap().err(), Some(error));
            for cut in 0..bytes.len() {
                assert!(read(&bytes[..cut]).is_none());
            }
        }
    }
}
