/** Content types and the entries of these types. Reference: 'Content box'. */
import { queryText, type Area, type Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
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

const contentOf = ({ state, params }: Call): Content =>
	state.contentBox.contents.need(params.contentId, 'unknownContent');

const typeOf = ({ state }: Call, id: string): ContentType =>
	state.contentBox.types.need(id, 'notFound', 'Content type not found');

/** Whether a text is found in the title or in a data field, whatever its case. */
function mentions({ title, data }: Content, search: string): boolean {
	const values = [title, ...Object.values(data)];
	return values.some((value) => String(value).toLowerCase().includes(search.toLowerCase()));
}

export const contentBox: Area<ContentBoxState> = {
	seed: (seeding) => ({
		contents: new Collection(seedContents(seeding)),
		types: new Collection(seedTypes()),
	}),

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
				count:
					call.world.searchCount === 'matches' ? undefined : call.state.contentBox.contents.size,
			});
		},

		'POST /contentbox/contents.json': (call) => {
			const { content: input } = call.body as {
				content: Partial<Content> & Pick<Content, 'title' | 'type_id'>;
			};
			const { title, type_id, state = 'draft', data = {} } = input;
			typeOf(call, type_id);
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
			const kept = call.world.dataUpdate === 'kept' || !input.data ? content.data : {};
			call.state.contentBox.contents.update(content.id, {
				...input,
				data: { ...kept, ...input.data },
			});
			return { id: content.id, updated: true };
		},

		'DELETE /contentbox/contents/{contentId}.json': (call) =>
			call.state.contentBox.contents.deleted(contentOf(call)),

		'GET /contentbox/types.json': (call) => envelope(call, call.state.contentBox.types.rows),

		'POST /contentbox/types.json': {
			invalid: 'badFields',
			handle: (call) => {
				const { type: input } = call.body as { type: Omit<ContentType, 'id'> };
				const { id, title } = call.state.contentBox.types.add({
					...input,
					id: call.newId('typ'),
				});
				return { id, title };
			},
		},

		'GET /contentbox/types/{typeId}.json': (call) => typeOf(call, call.params.typeId),

		'PUT /contentbox/types/{typeId}.json': {
			invalid: 'badFields',
			handle: (call) => {
				const { type: input } = call.body as { type: Partial<Omit<ContentType, 'id'>> };
				const { id } = typeOf(call, call.params.typeId);
				return call.state.contentBox.types.update(id, input);
			},
		},
	},
};
