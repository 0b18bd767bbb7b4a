//! Answers of the decoder, which arrive later than their questions.

/// The answer to the latest question.
///
/// It can be read only with the question at hand ([`Answer::to`]), so that an answer never stands
/// under another question: until the answer to that one arrives, nothing is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<Q, A> {
    question: Option<Q>,
    answer: Option<A>,
}

impl<Q, A> Default for Answer<Q, A> {
    fn default() -> Answer<Q, A> {
        Answer {
            question: None,
            answer: None,
        }
    }
}

impl<Q: PartialEq, A> Answer<Q, A> {
    /// Asks a question. The answer to another one is forgotten; that to the same one stays until it
    /// is replaced.
    pub fn ask(&mut self, question: Q) {
        if !self.is_asked(&question) {
            self.question = Some(question);
            self.answer = None;
        }
    }

    /// Stores an answer, unless another question was asked meanwhile. Returns whether it was stored.
    pub fn put(&mut self, question: &Q, answer: A) -> bool {
        let is_due = self.is_asked(question);
        if is_due {
            self.answer = Some(answer);
        }
        is_due
    }

    /// Whether this is the latest question.
    pub fn is_asked(&self, question: &Q) -> bool {
        self.question.as_ref() == Some(question)
    }

    /// The latest question.
    pub fn question(&self) -> Option<&Q> {
        self.question.as_ref()
    }

    /// The answer to a question; `None` if it is not known yet.
    pub fn to(&self, question: &Q) -> Option<&A> {
        self.answer.as_ref().filter(|_| self.is_asked(question))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_only_with_its_question() {
        let mut answer = Answer::default();
        assert_eq!(answer.to(&"a"), None);
        assert!(!answer.put(&"a", 1), "nobody asked");
        answer.ask("a");
        assert_eq!((answer.is_asked(&"a"), answer.to(&"a")), (true, None));
        assert!(answer.put(&"a", 1));
        assert_eq!((answer.to(&"a"), answer.to(&"b")), (Some(&1), None));
        // The same question again: the answer is refined.
        answer.ask("a");
        assert_eq!(answer.to(&"a"), Some(&1));
        answer.ask("b");
        assert!(!answer.put(&"a", 2), "it comes too late");
        assert_eq!((answer.to(&"a"), answer.to(&"b")), (None, None));
        answer.ask("a");
        assert_eq!(answer.to(&"a"), None, "forgotten");
    }
}
