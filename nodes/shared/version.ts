// Made by `npm run generate` from package.json: change the version there.

/** Version of this package. */
export const VERSION = '0.1.0';
