//! The binary form of what lowering gives, a module or an error, on its way from one process to
//! another.

use crate::LoadError;
use crate::link::Unlinked;

pub fn write(lowered: &Result<Unlinked, LoadError>) -> Vec<u8> {
    ir::binary::write(lowered)
}

/// `None` if `bytes` are not all that `write` made.
pub fn read(bytes: &[u8]) -> Option<Result<Unlinked, LoadError>> {
    ir::binary::read(bytes)
}

/// Paths by their bytes: serde writes only those that are UTF-8.
pub mod path_bytes {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(deserializer).map(PathBuf::from)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;

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
