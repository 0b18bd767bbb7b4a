//! The nodes of a document, in order of creation.

use super::node::Node;

/// Number of nodes per block.
const BLOCK: usize = 1024;

/// A list of nodes that grows by blocks. A contiguous list would be copied whenever it grows and
/// leave holes of every previous size: memory that WebAssembly never gives back.
#[derive(Default)]
pub struct Arena {
    blocks: Vec<Vec<Node>>,
}

impl Arena {
    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        let full = self.blocks.len().saturating_sub(1);
        full * BLOCK + self.blocks.last().map_or(0, Vec::len)
    }

    pub fn get(&self, at: usize) -> Option<&Node> {
        self.blocks.get(at / BLOCK)?.get(at % BLOCK)
    }

    pub fn push(&mut self, node: Node) {
        match self.blocks.last_mut() {
            Some(block) if block.len() < BLOCK => block.push(node),
            last => {
                // The first block may stay small.
                let mut block = Vec::with_capacity(last.map_or(1, |_| BLOCK));
                block.push(node);
                self.blocks.push(block);
            }
        }
    }

    /// Drops all nodes but the first.
    pub fn truncate_to_first(&mut self) {
        self.blocks.truncate(1);
        if let Some(first) = self.blocks.first_mut() {
            first.truncate(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Value;

    #[test]
    fn nodes_keep_their_indices() {
        let mut arena = Arena::default();
        assert!(arena.get(0).is_none());
        for i in 0..BLOCK * 2 + 1 {
            assert_eq!(arena.len(), i);
            arena.push(Node::derived(i.to_string(), Value::None));
        }
        for i in [0, 1, BLOCK - 1, BLOCK, BLOCK * 2 - 1, BLOCK * 2] {
            assert_eq!(arena.get(i).unwrap().name, i.to_string());
        }
        assert!(arena.get(arena.len()).is_none());
        arena.truncate_to_first();
        assert_eq!(arena.len(), 1);
        assert_eq!(arena.get(0).unwrap().name, "0");
    }
}
