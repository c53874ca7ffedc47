// What the items of one execution share: a list that several of them ask for is read once.

/** Lists that are kept at a time: items mostly ask for the same one. */
const MAX_LISTS = 3;

/** Lists by their request, for as long as an execution reads. */
export class SharedLists {
	private readonly lists = new Map<string, Promise<unknown>>();

	/** The list under a key, read by the first item that asks for it. A list that fails isn't kept. */
	async get<T>(key: string, read: () => Promise<T>): Promise<T> {
		const list = (this.lists.get(key) as Promise<T> | undefined) ?? read();
		this.lists.delete(key);
		this.lists.set(key, list);
		if (this.lists.size > MAX_LISTS) this.lists.delete([...this.lists.keys()][0]);
		return await list.catch((error: unknown) => {
			if (this.lists.get(key) === list) this.lists.delete(key);
			throw error;
		});
	}
}
