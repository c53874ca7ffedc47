// Whether a text is an IP address, as `isIP` of Node.js decides it: nodes may not import node:net.

const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const four = `(?:${byte}\\.){3}${byte}`;
const fourOnly = new RegExp(`^${four}$`);
const group = /^[\da-f]{1,4}$/i;
const zone = /^[\d\w\-.:]+$/;

/** Groups that a part of an IPv6 address has: an embedded IPv4 address stands for two, at the end only. */
function groupsOf(part: string, mayEmbed: boolean): number | undefined {
	if (part === '') return 0;
	const groups = part.split(':');
	const last = groups[groups.length - 1];
	const embeds = mayEmbed && fourOnly.test(last);
	const plain = embeds ? groups.slice(0, -1) : groups;
	if (!plain.every((each) => group.test(each))) return undefined;
	return plain.length + (embeds ? 2 : 0);
}

function isSix(text: string): boolean {
	const [address, ...zones] = text.split('%');
	if (zones.length > 1 || (zones.length === 1 && !zone.test(zones[0]))) return false;
	const parts = address.split('::');
	if (parts.length > 2) return false;
	const counts = parts.map((part, index) => groupsOf(part, index === parts.length - 1));
	const [before, after] = counts;
	if (counts.includes(undefined) || before === undefined) return false;
	return parts.length === 1 ? before === 8 : before + (after ?? 0) < 8;
}

/** Whether a text is an IPv4 or IPv6 address, the latter also with a zone or an embedded IPv4 address. */
export const isIpAddress = (text: string): boolean => fourOnly.test(text) || isSix(text);
