// What the tests use of js-yaml, which has no types of its own.
declare module 'js-yaml' {
	export const CORE_SCHEMA: unknown;
	export function load(text: string, options: { schema: unknown }): unknown;
}
