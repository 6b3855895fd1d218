//! Whether two locks may be the same, by where their addresses may point.

use analysis::external::{Class, Sync};
use analysis::{Address, Place, PlaceSet, PointsTo, Program, call_at};
use ir::{FuncId, ValueId};

use super::state::Held;

/// The operand that was locked, in its function.
pub fn locked_by(program: Program, held: &Held) -> Option<(FuncId, ValueId)> {
    let &node = held.path.last()?;
    let call = call_at(program.module, program.nodes, node)?;
    program
        .points_to
        .externals(node)
        .find_map(|external| match external.class {
            Class::Synchronises(Sync::Lock { lock, .. }) => {
                let operand = call.args.get(lock)?;
                Some((program.nodes.function(node), *operand))
            }
            _ => None,
        })
}

/// Whether the two have a place in common.
pub fn sets_meet(points_to: &PointsTo, a: PlaceSet, b: PlaceSet) -> bool {
    let (a, b) = (points_to.places(a), points_to.places(b));
    a.iter().any(|x| {
        let mut same = b.iter().filter(|y| x.object == y.object);
        same.any(|y| places_meet(*x, *y))
    })
}

fn places_meet(a: Place, b: Place) -> bool {
    let (mut x, mut y) = (a.stride, b.stride);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let distance = a.offset.abs_diff(b.offset);
    if x == 0 {
        distance == 0
    } else {
        distance.is_multiple_of(x)
    }
}

/// Whether the set contains this address of an object that there is once.
pub fn may_be_at(points_to: &PointsTo, set: PlaceSet, address: &Address) -> bool {
    let mut places = points_to.places(set).iter();
    places.any(|place| Some(place.object) == address.anchor && place.may_be(address.offset))
}
