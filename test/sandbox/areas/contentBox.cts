/** Content types and the entries of these types. Reference: 'Content box'. */
import { queryText, type Area, type Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { refuse, type Refusal } from '../refusals.cts';
import { seedContents, seedTypes } from '../seeds/content.cts';

export interface Content {
	id: string;
	type_id: string;
	title: string;
	state: string;
	/** By the keys of its type's fields. */
	data: Record<string, unknown>;
}

type Fields = Record<string, { label: string; type: string }>;

export interface ContentType {
	id: string;
	title: string;
	description?: string;
	fields: Fields;
}

export interface ContentBoxState {
	contents: Collection<Content>;
	types: Collection<ContentType>;
}

/** `string`, `checkbox` and `url` are the reference's, the others the sandbox's own. */
const fieldTypes = ['string', 'text', 'number', 'checkbox', 'url', 'email', 'date'];

function contentOf({ state, params }: Call): Content {
	const content = state.contentBox.contents.get(params.contentId);
	if (!content) throw refuse('unknownContent');
	return content;
}

function typeOf({ state }: Call, id: string): ContentType {
	const type = state.contentBox.types.get(id);
	if (!type) throw refuse('notFound', 'Content type not found');
	return type;
}

/** Refuses data for fields that the type does not have. */
function checkData(type: ContentType, data: Record<string, unknown>): void {
	const unknown = Object.keys(data).filter((key) => !Object.hasOwn(type.fields, key));
	if (unknown.length > 0) {
		throw refuse('invalidRequest', `The content type has no field ${unknown.join(', ')}`);
	}
}

const areFields = (value: unknown): value is Fields =>
	typeof value === 'object' &&
	value !== null &&
	!Array.isArray(value) &&
	Object.values(value).every(
		(field) => typeof field?.label === 'string' && fieldTypes.includes(field.type),
	);

/** The documented refusal when the fields are what is wrong. */
function invalidType({ body }: Call): Refusal {
	const type = (body as { type?: { fields?: unknown } } | undefined)?.type;
	const isBad = type?.fields !== undefined && !areFields(type.fields);
	return refuse(isBad ? 'badFields' : 'invalidRequest');
}

/** Whether a text is found in the title or in a data field, whatever its case. */
function mentions({ title, data }: Content, search: string): boolean {
	const values = [title, ...Object.values(data)];
	return values.some((value) => String(value).toLowerCase().includes(search.toLowerCase()));
}

export const contentBox: Area<'contentBox'> = {
	seed(seeding) {
		const state: ContentBoxState = { contents: new Collection(), types: new Collection() };
		for (const type of seedTypes()) state.types.add(type);
		for (const content of seedContents(seeding)) state.contents.add(content);
		return state;
	},

	endpoints: {
		'GET /contentbox/contents.json': (call) => {
			const typeId = queryText(call, 'type_id');
			const state = queryText(call, 'state');
			const search = queryText(call, 'search');
			const found = call.state.contentBox.contents.rows.filter(
				(content) =>
					(!typeId || content.type_id === typeId) &&
					(!state || content.state === state) &&
					(!search || mentions(content, search)),
			);
			return envelope(call, found, {
				entities: 'Contents',
				carries: ['count', 'per_page'],
				size: 50,
				count:
					call.world.searchCount === 'matches' ? undefined : call.state.contentBox.contents.size,
				element: (content) => content,
			});
		},

		'POST /contentbox/contents.json': (call) => {
			const { content: input } = call.body as {
				content: Partial<Content> & Pick<Content, 'title' | 'type_id'>;
			};
			const { title, type_id, state = 'draft', data = {} } = input;
			checkData(typeOf(call, type_id), data);
			const { id } = call.state.contentBox.contents.add({
				id: call.newId('cnt'),
				type_id,
				title,
				state,
				data,
			});
			return { id };
		},

		'GET /contentbox/contents/{contentId}.json': (call) => contentOf(call),

		'PUT /contentbox/contents/{contentId}.json': (call) => {
			const { content: input } = call.body as {
				content: Partial<Pick<Content, 'title' | 'state' | 'data'>>;
			};
			const content = contentOf(call);
			checkData(typeOf(call, content.type_id), input.data ?? {});
			call.state.contentBox.contents.update(content.id, {
				...input,
				data: { ...content.data, ...input.data },
			});
			return { id: content.id, updated: true };
		},

		'DELETE /contentbox/contents/{contentId}.json': (call) => {
			const { id } = contentOf(call);
			call.state.contentBox.contents.remove(id);
			return { id, deleted: true };
		},

		'GET /contentbox/types.json': (call) =>
			envelope(call, call.state.contentBox.types.rows, {
				entities: 'Types',
				carries: ['count'],
				element: (type) => type,
			}),

		'POST /contentbox/types.json': {
			invalid: invalidType,
			handle: (call) => {
				const { type: input } = call.body as { type: Omit<ContentType, 'id'> };
				if (!areFields(input.fields)) throw refuse('badFields');
				const { id, title } = call.state.contentBox.types.add({
					...input,
					id: call.newId('typ'),
				});
				return { id, title };
			},
		},

		'GET /contentbox/types/{typeId}.json': (call) => typeOf(call, call.params.typeId),

		'PUT /contentbox/types/{typeId}.json': {
			invalid: invalidType,
			handle: (call) => {
				const { type: input } = call.body as { type: Partial<Omit<ContentType, 'id'>> };
				const { id } = typeOf(call, call.params.typeId);
				if (input.fields && !areFields(input.fields)) throw refuse('badFields');
				return call.state.contentBox.types.update(id, input);
			},
		},
	},
};
