//! Places, types and variables as the source has them. Only reports read this.

use base::{IndexVec, id};
use serde::{Deserialize, Serialize};

id!(
    /// A source file.
    FileId, "file"
);
id!(
    /// A place in the source. `LocId(0)` is "unknown".
    LocId, "loc"
);
id!(
    /// A type as the source declares it.
    TypeId, "type"
);
id!(
    /// A variable as the source declares it.
    VarId, "var"
);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebugInfo {
    pub files: IndexVec<FileId, String>,
    /// Entry 0 is "unknown" (line 0).
    pub locs: IndexVec<LocId, Loc>,
    pub types: IndexVec<TypeId, DebugType>,
    pub vars: IndexVec<VarId, Variable>,
}

impl Default for DebugInfo {
    fn default() -> Self {
        let mut locs = IndexVec::new();
        locs.push(Loc::default());
        DebugInfo {
            files: IndexVec::new(),
            locs,
            types: IndexVec::new(),
            vars: IndexVec::new(),
        }
    }
}

/// Line 0 means unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Loc {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
}

impl Loc {
    pub fn is_known(self) -> bool {
        self.line != 0
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub ty: Option<TypeId>,
    pub loc: LocId,
}

/// A type as the source declares it, without typedefs and qualifiers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DebugType {
    Base {
        name: String,
        bytes: u64,
        encoding: Encoding,
    },
    Pointer {
        to: Option<TypeId>,
    },
    /// Structs, classes and unions (whose members all have offset 0).
    Record {
        name: String,
        bytes: u64,
        members: Vec<Member>,
    },
    Array {
        element: TypeId,
        count: u64,
    },
    Enum {
        name: String,
        bytes: u64,
        variants: Vec<(String, i128)>,
    },
    /// Function types and other types without values.
    Opaque {
        name: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    Signed,
    Unsigned,
    Bool,
    Char,
    Float,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub name: String,
    pub offset: u64,
    pub ty: TypeId,
}
