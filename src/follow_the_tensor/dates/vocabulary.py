"""Characters to ids and back, and texts of different lengths to one batch."""

import torch

from ..shapes import check_index, check_string, check_strings

PAD, BOS, EOS, UNKNOWN = 0, 1, 2, 3
SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")


class Vocabulary:
    """A numbered list of characters, behind the four special ids.

    One character is one token. A character that is not in the list becomes UNKNOWN.

    Args:
        characters: a string in which no character comes twice

    Raises:
        TypeError: `characters` is not a string.
        ValueError: a character comes twice.
    """

    def __init__(self, characters):
        check_string("characters", characters)
        if len(set(characters)) != len(characters):
            raise ValueError(f"characters: expected each one once, got {characters!r}")
        self.characters = characters
        self._ids = {character: n for n, character in enumerate(characters, len(SPECIAL))}

    @classmethod
    def from_texts(cls, texts):
        """Collect every character of `texts`, in the order of their code points."""
        return cls("".join(sorted(set("".join(texts)))))

    def __len__(self):
        return len(SPECIAL) + len(self.characters)

    def encode(self, text, start=False):
        """Return the ids of `text` with EOS behind them, and BOS before them if `start`.

        Raises:
            TypeError: `text` is not a string.
        """
        check_string("text", text)
        ids = [self._ids.get(character, UNKNOWN) for character in text]
        return [BOS] * start + ids + [EOS]

    def decode(self, ids):
        """The text before the first EOS. PAD and BOS are dropped, UNKNOWN is "\ufffd".

        Raises:
            ValueError, TypeError: an id is outside the vocabulary, or no integer.
        """
        text = ""
        for i in torch.as_tensor(ids).tolist():
            check_index("ids", i, len(self))
            if i == EOS:
                break
            if i >= len(SPECIAL):
                text += self.characters[i - len(SPECIAL)]
            elif i == UNKNOWN:
                text += "\ufffd"
        return text

    def batch(self, texts, start=False):
        """Encode `texts` and fill the shorter ones up with PAD.

        Shapes:
            returns: [B, L], where L is the length of the longest, EOS and BOS included

        Raises:
            ValueError: there are no texts.
            TypeError: `texts` is one string, or does not hold strings.
        """
        check_strings("texts", texts)
        rows = [self.encode(text, start) for text in texts]
        if not rows:
            raise ValueError("texts: expected at least one, got none")
        longest = max(len(row) for row in rows)
        return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])  # [B, L]
