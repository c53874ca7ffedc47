// Whether what a user gets carries all that the service answered.

const isMembers = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** No value: how one is written is a choice of the world. */
const isNothing = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	value === '' ||
	(typeof value === 'object' && Object.keys(value).length === 0);

/** Words and forms that a world writes for the same value. */
function isSame(one: unknown, other: unknown): boolean {
	if (one === other || String(one) === String(other)) return true;
	if (typeof one === 'string' && Date.parse(one) / 1000 === Number(other)) return true;
	if (typeof one === 'string' && Math.floor(Date.parse(one) / 1000) === Number(other)) return true;
	const words = ['pending', 'paid', 'failed'].indexOf(String(one));
	return words >= 0 && other === ['open', 'succeeded', 'declined'][words];
}

/**
 * What is lost of a value on its way from the service to an item.
 *
 * @param plain what the service holds, before its world gave it a form
 * @returns places of what is missing or other; empty when all is there
 */
export function lost(plain: unknown, got: unknown, place = ''): string[] {
	if (isNothing(plain)) return isNothing(got) ? [] : [`${place} is ${JSON.stringify(got)}`];
	if (Array.isArray(plain)) {
		if (!Array.isArray(got)) return [`${place} is no list`];
		if (plain.length !== got.length) return [`${place} has ${got.length} of ${plain.length}`];
		return plain.flatMap((each, index) => lost(each, got[index], `${place}[${index}]`));
	}
	if (isMembers(plain)) {
		if (!isMembers(got)) return [`${place || 'the item'} is ${JSON.stringify(got)}`];
		return Object.entries(plain).flatMap(([name, each]) =>
			lost(each, got[name], place === '' ? name : `${place}.${name}`),
		);
	}
	return isSame(plain, got) ? [] : [`${place} is ${JSON.stringify(got)}`];
}
