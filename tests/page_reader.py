"""What a page holds, for tests of pages."""

from html.parser import HTMLParser


class Reader(HTMLParser):
    """Collects ids, addresses, tags, names of attributes and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags, self.attributes, self.texts = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.attributes += found
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("href", "src", "xlink:href") if name in found]

    def handle_data(self, data):
        self.texts.append(data)
