// The API wants plain text for a document (reference: AI Gateway, Document and passage). HTML becomes its text, and RTF is refused.
// n8n's rules for verified packages allow no library for it.
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';

/** Elements without text. */
const CODE = ['script', 'style'];

/** Elements that aren't part of what a page says. */
const HIDDEN = [...CODE, 'head', 'iframe', 'nav', 'noscript', 'object', 'svg', 'template'];

const PARAGRAPHS = [
	...[
		'article',
		'blockquote',
		'body',
		'div',
		'dl',
		'figure',
		'footer',
		'form',
		'h1',
		'h2',
		'h3',
		'h4',
	],
	...['h5', 'h6', 'header', 'hr', 'main', 'ol', 'p', 'pre', 'section', 'table', 'ul'],
];

const LINES = ['br', 'caption', 'dd', 'dt', 'figcaption', 'li', 'option', 'summary', 'tr'];

/** The begin of a tag, a comment or a declaration. */
const TAG = /^<(?:(\/?)([a-z][\w-]*)|!--|[!?])/i;

/** Characters by the names that pages use most. Others stay as they are written. */
const NAMED: Record<string, string> = {
	...{ amp: '&', apos: "'", gt: '>', lt: '<', nbsp: ' ', quot: '"', shy: '' },
	...{ bull: '•', copy: '©', deg: '°', euro: '€', hellip: '…', laquo: '«', ldquo: '“', lsquo: '‘' },
	...{
		mdash: '—',
		middot: '·',
		ndash: '–',
		pound: '£',
		raquo: '»',
		rdquo: '”',
		reg: '®',
		rsquo: '’',
	},
	...{ sect: '§', times: '×', trade: '™', auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö' },
	...{ Uuml: 'Ü', szlig: 'ß', agrave: 'à', acirc: 'â', aacute: 'á', atilde: 'ã', aring: 'å' },
	...{ aelig: 'æ', ccedil: 'ç', egrave: 'è', eacute: 'é', ecirc: 'ê', iacute: 'í', icirc: 'î' },
	...{ ntilde: 'ñ', oacute: 'ó', ocirc: 'ô', oslash: 'ø', uacute: 'ú', ugrave: 'ù', Eacute: 'É' },
};

/** A character by its number, as it's written if there's none. */
function numbered(written: string, code: number): string {
	return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
}

const decoded = (text: string): string =>
	text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (written, decimal, hex, name) => {
		if (decimal !== undefined) return numbered(written, Number(decimal));
		if (hex !== undefined) return numbered(written, parseInt(String(hex), 16));
		return NAMED[String(name)] ?? written;
	});

/** The lines of a page, as its elements begin and end. */
class Lines {
	private readonly lines: string[] = [];

	private line = '';

	private preformatted = 0;

	add(piece: string): void {
		const isKept = this.preformatted > 0;
		const plain = isKept ? piece : piece.replace(/\s+/g, ' ');
		this.line += decoded(this.line === '' && !isKept ? plain.trimStart() : plain);
	}

	/** @param isOpening true for a tag that begins the element */
	tag(name: string, isOpening: boolean): void {
		if (PARAGRAPHS.includes(name)) this.end(true);
		else if (LINES.includes(name)) this.end(false);
		else if (/^t[dh]$/.test(name) && /\S$/.test(this.line)) this.line += ' ';
		if (name === 'pre') this.preformatted = Math.max(0, this.preformatted + (isOpening ? 1 : -1));
		if (isOpening && name === 'li') this.line = '- ';
	}

	get text(): string {
		this.end(false);
		return this.lines.join('\n').trim();
	}

	private end(isParagraph: boolean): void {
		if (this.line.trim() !== '') this.lines.push(this.line.trim());
		this.line = '';
		if (isParagraph && this.lines.at(-1) !== '') this.lines.push('');
	}
}

/** Finds where hidden elements end. */
class Hidden {
	/** Elements of which no further one ends. */
	private readonly endless = new Set<string>();

	constructor(private readonly html: string) {}

	/** The place of the closing tag. Undefined if the element isn't hidden, or never ends. Code that never ends takes the rest. */
	endOf(name: string, from: number): number | undefined {
		if (!HIDDEN.includes(name) || this.endless.has(name)) return undefined;
		const closing = new RegExp(`</${name}\\s*>`, 'gi');
		closing.lastIndex = from;
		const found = closing.exec(this.html)?.index;
		if (found === undefined) this.endless.add(name);
		return found ?? (CODE.includes(name) ? this.html.length : undefined);
	}
}

/** The text of a page, without scripts, styles and menus. Each paragraph stands alone, each list item and row on a line. */
function textOfHtml(html: string): string {
	const lines = new Lines();
	const hidden = new Hidden(html);
	let at = 0;
	for (let start = html.indexOf('<'); start >= 0; start = html.indexOf('<', at)) {
		lines.add(html.slice(at, start));
		const [tag = '', slash, given = ''] = TAG.exec(html.slice(start, start + 40)) ?? [];
		const isComment = tag === '<!--';
		const end = html.indexOf(isComment ? '-->' : '>', start);
		at = start;
		if (tag !== '' && end < 0) break;
		if (tag === '') {
			lines.add('<');
			at = start + 1;
			continue;
		}
		at = end + (isComment ? 3 : 1);
		const name = given.toLowerCase();
		const isOpening = slash === '' && html[end - 1] !== '/';
		lines.tag(name, isOpening);
		if (isOpening) at = hidden.endOf(name, at) ?? at;
	}
	lines.add(html.slice(at));
	return lines.text;
}

/** True for a page, and for a fragment of one. Not for Markdown that has some HTML in it. */
const isHtml = (content: string): boolean =>
	/^\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)*<(!doctype html|html|head|body)\b/i.test(content) ||
	(/^\s*<(article|div|h[1-6]|main|ol|p|section|span|style|script|table|ul)\b[^>]*>/i.test(
		content,
	) &&
		/<\/(article|div|h[1-6]|main|ol|p|section|span|style|script|table|ul)>\s*$/i.test(content));

/** Says what was done to the content of a document. It's in `settings` of a request under this name. */
export const MARKUP_NOTE = 'markupNote';

const REDUCED = 'The content was HTML, so its text was added, without scripts, styles and menus.';

/** Turns content that is HTML into its text, which a warning tells. Throws FieldFault for RTF, and for HTML without text. */
export function toPlainText(request: ApiRequest): void {
	const content = request.body?.content;
	if (typeof content !== 'string') return;
	if (/^\s*\{\\rtf/.test(content)) {
		throw new FieldFault(
			'Content',
			'must be plain text, and is RTF. Save it as text or Markdown first',
		);
	}
	if (!isHtml(content)) return;
	const text = textOfHtml(content);
	if (text === '') throw new FieldFault('Content', 'must have text. It is HTML that shows none');
	request.body = { ...request.body, content: text };
	request.settings = { ...request.settings, [MARKUP_NOTE]: REDUCED };
}
