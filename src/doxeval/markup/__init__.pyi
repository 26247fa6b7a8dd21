from doxeval.markup.character_sets import codec_of as codec_of
from doxeval.markup.elements import read_elements as read_elements
from doxeval.markup.expansion import Expansion as Expansion
