//! An assignment of values to inputs. An input without a value counts as 0, so every model is
//! total.

use crate::node::InputId;

#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Model {
    /// Sorted by input: solvers produce models in that order, and a model has few inputs.
    values: Vec<(InputId, u128)>,
}

impl Model {
    pub fn new() -> Self {
        Model::default()
    }

    pub fn get(&self, input: InputId) -> Option<u128> {
        let at = self.values.binary_search_by_key(&input, |&(i, _)| i).ok()?;
        Some(self.values[at].1)
    }

    pub fn set(&mut self, input: InputId, value: u128) {
        if self.values.last().is_none_or(|&(last, _)| last < input) {
            self.values.push((input, value));
            return;
        }
        match self.values.binary_search_by_key(&input, |&(i, _)| i) {
            Ok(at) => self.values[at].1 = value,
            Err(at) => self.values.insert(at, (input, value)),
        }
    }

    /// In the order of the inputs.
    pub fn iter(&self) -> impl Iterator<Item = (InputId, u128)> + '_ {
        self.values.iter().copied()
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl FromIterator<(InputId, u128)> for Model {
    fn from_iter<T: IntoIterator<Item = (InputId, u128)>>(iter: T) -> Self {
        let mut model = Model::new();
        for (input, value) in iter {
            model.set(input, value);
        }
        model
    }
}
