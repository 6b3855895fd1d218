//! Structures of small types.

use std::collections::BTreeSet;

use bitcode::layout::Layout;

use super::*;

/// A field's name, and the record that it points to.
type FieldOf<'a> = (&'a str, Option<usize>);

/// A record of fields with consecutive offsets; all types are pointers to records or `int`.
fn layouts(records: &[(&str, &[FieldOf])], input: usize) -> Layouts {
    let mut layouts = Layouts {
        pointer_bytes: 8,
        ..Layouts::default()
    };
    let plain = |name: &str, bytes, kind| Layout {
        name: name.to_owned(),
        aliases: Vec::new(),
        identity: 0,
        bytes,
        kind,
    };
    let int = layouts.types.push(plain(
        "int",
        8,
        LayoutKind::Scalar {
            encoding: Encoding::Signed,
        },
    ));
    let ids: Vec<LayoutId> = records
        .iter()
        .map(|(name, _)| layouts.types.push(plain(name, 0, LayoutKind::Other)))
        .collect();
    let pointers: Vec<LayoutId> = ids
        .iter()
        .map(|id| {
            let kind = LayoutKind::Pointer { to: Some(*id) };
            layouts.types.push(plain("", 8, kind))
        })
        .collect();
    for (id, (_, fields)) in ids.iter().zip(records) {
        let fields: Vec<Field> = fields
            .iter()
            .enumerate()
            .map(|(i, (name, to))| Field {
                name: (*name).to_owned(),
                offset: 8 * i as u64,
                ty: to.map_or(int, |to| pointers[to]),
                bit_field: None,
                is_base: false,
            })
            .collect();
        layouts.types[*id].bytes = 8 * fields.len() as u64;
        layouts.types[*id].kind = LayoutKind::Record {
            is_union: false,
            fields,
        };
    }
    let all: Vec<LayoutId> = layouts.types.ids().collect();
    for (identity, id) in all.into_iter().enumerate() {
        layouts.types[id].identity = identity as u32;
    }
    layouts.records = ids;
    layouts.globals.insert("q".to_owned(), pointers[input]);
    layouts
}

fn structure(layouts: &Layouts, depth: u32) -> Structure {
    Structure::of(layouts, &["q"], depth).expect("a structure")
}

fn tree() -> Layouts {
    layouts(
        &[(
            "node",
            &[("left", Some(0)), ("right", Some(0)), ("value", None)],
        )],
        0,
    )
}

#[test]
fn objects_are_those_up_to_the_depth() {
    let list = layouts(&[("node", &[("next", Some(0)), ("value", None)])], 0);
    // The variable is one of them.
    assert_eq!(structure(&list, 3).objects.len(), 1 + 3);
    assert_eq!(structure(&list, 0).objects.len(), 1);
    assert_eq!(structure(&tree(), 3).objects.len(), 1 + 1 + 2 + 4);
}

#[test]
fn pointers_are_called_by_the_way_to_them() {
    let list = structure(&tree(), 2);
    let labels: Vec<&str> = list.slots.iter().map(|s| s.label.as_str()).collect();
    let expected = [
        "q",
        "q->left",
        "q->right",
        "q->left->left",
        "q->left->right",
        "q->right->left",
        "q->right->right",
    ];
    assert_eq!(labels, expected);
}

/// What is reached from the input with these choices, as text that names objects in the order in
/// which they are met; `None` if a choice is not allowed. Choices of what is not reached are 0.
fn shape(structure: &Structure, choices: &[usize]) -> Option<String> {
    let target = |slot: usize| structure.target(slot, choices);
    // What is chosen and not there is null, which has a choice of its own.
    if (0..choices.len()).any(|slot| choices[slot] != 0 && target(slot).is_none()) {
        return None;
    }
    let (mut order, mut text) = (vec![0], String::new());
    let mut next = 0;
    while let Some(&object) = order.get(next) {
        next += 1;
        for part in &structure.objects[object].parts {
            let Part::Slot(slot) = part else { continue };
            let to = target(*slot).map(|target| {
                let place = order.iter().position(|o| *o == target.object);
                place.unwrap_or_else(|| {
                    order.push(target.object);
                    order.len() - 1
                })
            });
            text += &to.map_or("-".to_owned(), |to| to.to_string());
        }
        text.push('.');
    }
    let reached: BTreeSet<usize> = order.into_iter().collect();
    let is_idle = |(slot, choice): (usize, &usize)| {
        *choice == 0 || reached.contains(&structure.slots[slot].object)
    };
    choices.iter().enumerate().all(is_idle).then_some(text)
}

fn shapes(structure: &Structure) -> (usize, BTreeSet<String>) {
    let (mut descriptions, mut shapes) = (0, BTreeSet::new());
    let mut choices = vec![0; structure.slots.len()];
    loop {
        if let Some(shape) = shape(structure, &choices) {
            descriptions += 1;
            shapes.insert(shape);
        }
        let mut slot = 0;
        loop {
            if slot == choices.len() {
                return (descriptions, shapes);
            }
            choices[slot] += 1;
            if choices[slot] <= structure.slots[slot].targets.len() {
                break;
            }
            choices[slot] = 0;
            slot += 1;
        }
    }
}

#[test]
fn each_shape_is_described_once() {
    // Lists of up to n nodes that end in null or in one of their nodes: 1 + 2 + ... + (n + 1).
    let list = layouts(&[("node", &[("next", Some(0))])], 0);
    for (depth, expected) in [(0, 1), (1, 3), (2, 6), (3, 10)] {
        let (descriptions, shapes) = shapes(&structure(&list, depth));
        assert_eq!(descriptions, shapes.len());
        assert_eq!(shapes.len(), expected, "depth {depth}");
    }
    let (descriptions, shapes) = shapes(&structure(&tree(), 2));
    assert_eq!(descriptions, shapes.len());
}

#[test]
fn below_the_depth_pointers_are_null_or_lead_back() {
    let list = layouts(&[("node", &[("next", Some(0))])], 0);
    let structure = structure(&list, 2);
    let last = structure.slots.last().expect("a slot");
    assert!(last.targets.iter().all(|target| !target.is_new));
    assert_eq!(last.targets.len(), 2);
}
