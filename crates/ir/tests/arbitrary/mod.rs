//! Random modules that need not make sense. Ids are small, so that they are in range about half of
//! the time.

mod code;

use ir::debug::{
    DebugInfo, DebugType, Encoding, FileId, Loc, LocId, Member, TypeId, VarId, Variable,
};
use ir::{
    BlockId, Body, Const, FuncId, Function, Global, GlobalId, Init, Module, Relocation, Symbol,
    Type, Value, ValueId,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

pub fn module() -> impl Strategy<Value = Module> {
    (
        prop_oneof![Just(32), Just(64), any::<u32>()],
        vec(function(), 0..4),
        vec(global(), 0..4),
        vec(function_id(), 0..3),
        vec(function_id(), 0..3),
        debug_info(),
    )
        .prop_map(
            |(pointer_bits, functions, globals, constructors, destructors, debug)| Module {
                pointer_bits,
                functions: functions.into_iter().collect(),
                globals: globals.into_iter().collect(),
                constructors,
                destructors,
                debug,
            },
        )
}

fn id() -> impl Strategy<Value = u32> {
    prop_oneof![9 => 0..6u32, 1 => any::<u32>()]
}

fn function_id() -> impl Strategy<Value = FuncId> {
    id().prop_map(FuncId)
}

fn block_id() -> impl Strategy<Value = BlockId> {
    id().prop_map(BlockId)
}

fn value_id() -> impl Strategy<Value = ValueId> {
    prop_oneof![19 => 0..12u32, 1 => any::<u32>()].prop_map(ValueId)
}

fn loc_id() -> impl Strategy<Value = LocId> {
    id().prop_map(LocId)
}

fn type_id() -> impl Strategy<Value = TypeId> {
    id().prop_map(TypeId)
}

fn var_id() -> impl Strategy<Value = VarId> {
    id().prop_map(VarId)
}

/// Few plain names, so that some are shared, and anything at all.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-e]", 2 => "[a-z_.$0-9]{0,6}", 1 => any::<String>()]
}

fn ty() -> impl Strategy<Value = Type> {
    prop_oneof![
        3 => prop_oneof![Just(1), Just(8), Just(32), Just(64), Just(128), any::<u8>()].prop_map(Type::Int),
        2 => Just(Type::Ptr),
        1 => prop::sample::select(vec![Type::F16, Type::BF16, Type::F32, Type::F64, Type::F80, Type::F128]),
    ]
}

fn symbol() -> impl Strategy<Value = Symbol> {
    prop_oneof![
        id().prop_map(|id| Symbol::Global(GlobalId(id))),
        function_id().prop_map(Symbol::Function),
        (function_id(), block_id()).prop_map(|(f, b)| Symbol::Block(f, b)),
    ]
}

fn offset() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), -8..8i64, any::<i64>()]
}

fn constant() -> impl Strategy<Value = Const> {
    prop_oneof![
        (0..4u128).prop_map(Const::Bits),
        any::<u128>().prop_map(Const::Bits),
        (any::<u128>(), 0..128u32).prop_map(|(bits, by)| Const::Bits(bits >> by)),
        (symbol(), offset()).prop_map(|(symbol, offset)| Const::Address(symbol, offset)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    (ty(), of(constant()), of(name())).prop_map(|(ty, constant, name)| Value { ty, constant, name })
}

fn body() -> impl Strategy<Value = Body> {
    (
        vec(value(), 0..12),
        vec(value_id(), 0..3),
        vec(code::block(), 0..4),
    )
        .prop_map(|(values, params, blocks)| Body {
            values: values.into_iter().collect(),
            params,
            blocks: blocks.into_iter().collect(),
        })
}

fn function() -> impl Strategy<Value = Function> {
    let types = || vec(ty(), 0..3);
    let source_name = of(name());
    let signature = (name(), source_name, types(), types());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (signature, flags, of(loc_id()), of(body())).prop_map(
        |((name, source_name, params, results), (variadic, weak, runtime), loc, body)| Function {
            source_name: source_name.unwrap_or_else(|| name.clone()),
            name,
            params,
            results,
            variadic,
            weak,
            loc,
            runtime,
            body,
        },
    )
}

fn global() -> impl Strategy<Value = Global> {
    let bytes = vec(
        prop_oneof![
            vec(any::<u8>(), 0..6),
            (0..20usize).prop_map(|n| vec![0; n]),
            "[ -~]{0,8}".prop_map(String::into_bytes),
        ],
        0..5,
    );
    let relocation =
        (any::<u64>(), symbol(), offset()).prop_map(|(offset, target, addend)| Relocation {
            offset,
            target,
            addend,
        });
    let init = (bytes, vec(relocation, 0..3)).prop_map(|(bytes, relocations)| Init {
        bytes: bytes.concat(),
        relocations,
    });
    let flags = (any::<bool>(), any::<bool>());
    (
        name(),
        any::<u64>(),
        any::<u64>(),
        flags,
        of(init),
        of(var_id()),
    )
        .prop_map(
            |(name, size, align, (constant, thread_local), init, var)| Global {
                name,
                size,
                align,
                constant,
                thread_local,
                init,
                var,
            },
        )
}

fn debug_info() -> impl Strategy<Value = DebugInfo> {
    let number = || prop_oneof![0..3u32, any::<u32>()];
    let loc = (id(), number(), number())
        .prop_map(|(file, line, column)| Loc {
            file: FileId(file),
            line,
            column,
        })
        .boxed();
    // The default table, usually; else anything, even nothing.
    let locs = prop_oneof![
        Just(vec![Loc::default()]),
        vec(loc.clone(), 0..4),
        vec(loc, 1..5).prop_map(|mut locs| {
            locs[0] = Loc::default();
            locs
        }),
    ];
    let var =
        (name(), of(type_id()), loc_id()).prop_map(|(name, ty, loc)| Variable { name, ty, loc });
    (
        vec(name(), 0..3),
        locs,
        vec(debug_type(), 0..4),
        vec(var, 0..3),
    )
        .prop_map(|(files, locs, types, vars)| DebugInfo {
            files: files.into_iter().collect(),
            locs: locs.into_iter().collect(),
            types: types.into_iter().collect(),
            vars: vars.into_iter().collect(),
        })
}

fn debug_type() -> impl Strategy<Value = DebugType> {
    use Encoding::*;
    let encoding = prop::sample::select(vec![Signed, Unsigned, Bool, Char, Float]);
    let member = (name(), any::<u64>(), type_id()).prop_map(|(name, offset, ty)| Member {
        name,
        offset,
        ty,
    });
    prop_oneof![
        (name(), any::<u64>(), encoding).prop_map(|(name, bytes, encoding)| DebugType::Base {
            name,
            bytes,
            encoding
        }),
        of(type_id()).prop_map(|to| DebugType::Pointer { to }),
        (name(), any::<u64>(), vec(member, 0..3)).prop_map(|(name, bytes, members)| {
            DebugType::Record {
                name,
                bytes,
                members,
            }
        }),
        (type_id(), any::<u64>()).prop_map(|(element, count)| DebugType::Array { element, count }),
        (name(), any::<u64>(), vec((name(), any::<i128>()), 0..3)).prop_map(
            |(name, bytes, variants)| DebugType::Enum {
                name,
                bytes,
                variants
            }
        ),
        name().prop_map(|name| DebugType::Opaque { name }),
    ]
}
