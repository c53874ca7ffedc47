/** The API keys of a sandbox, their scopes, and the labels under which logs name them. */
import { randomBytes } from 'node:crypto';

interface Key {
	label: string;
	/** Null: all scopes. */
	scopes: ReadonlySet<string> | null;
}

export class Keys {
	private readonly known = new Map<string, Key>();

	private readonly labels = new Map<string, string>();

	private readonly retired = new Set<string>();

	/** Adds a key, a random one if none is given; without scopes it may do everything. */
	add(scopes?: readonly string[], value = randomBytes(24).toString('base64url')): string {
		const label = `key-${this.labels.size + 1}`;
		this.known.set(value, { label, scopes: scopes ? new Set(scopes) : null });
		this.labels.set(value, label);
		return value;
	}

	revoke(value: string): void {
		this.known.delete(value);
	}

	/** Revokes a key whose owner is gone: what still comes with it is none of those who follow. */
	retire(value: string): void {
		this.revoke(value);
		this.retired.add(value);
	}

	isRetired(authorization: string | undefined): boolean {
		return this.retired.has(bearer(authorization) ?? '');
	}

	/** The key of an Authorization header, if it is valid. */
	of(authorization: string | undefined): Key | undefined {
		const value = bearer(authorization);
		return value === undefined ? undefined : this.known.get(value);
	}

	/** What a log may say of an Authorization header. */
	labelOf(authorization: string | undefined): string | undefined {
		if (authorization === undefined) return undefined;
		return this.labels.get(bearer(authorization) ?? '') ?? 'unknown key';
	}
}

function bearer(authorization: string | undefined): string | undefined {
	return /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
}
