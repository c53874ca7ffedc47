// Cache of lists: items of one execution that want the same list read it once.

const MAX_LISTS = 20;

export class SharedLists {
	private readonly lists = new Map<string, Promise<unknown>>();

	/** A list that fails isn't kept. */
	async get<T>(key: string, read: () => T | Promise<T>): Promise<T> {
		const list = (this.lists.get(key) as Promise<T> | undefined) ?? Promise.resolve(read());
		// The list goes to the end of the map, so that the first one was wanted longest ago.
		this.lists.delete(key);
		this.lists.set(key, list);
		if (this.lists.size > MAX_LISTS) this.lists.delete([...this.lists.keys()][0]);
		return await list.catch((error: unknown) => {
			// Another item may be reading the list anew already.
			if (this.lists.get(key) === list) this.lists.delete(key);
			throw error;
		});
	}
}
