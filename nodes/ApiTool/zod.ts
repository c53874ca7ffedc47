// zod as n8n has it, which recognizes schemas of no other copy. An import finds the copy that lies nearest, and any package
// beside this one may bring one. So the classes are those of schemas that n8n-workflow exports.
import {
	FieldTypeSchema,
	generateZodSchema,
	HttpRequestOptionsSchema,
	INodeCredentialsSchema,
	INodePropertyOptionsSchema,
	NodeOperationError,
	Workflow,
	type IExecuteFunctions,
	type ISupplyDataFunctions,
} from 'n8n-workflow';
import type {
	AnyZodObject,
	ZodAny,
	ZodBoolean,
	ZodEnum,
	ZodNumber,
	ZodObject,
	ZodOptional,
	ZodRawShape,
	ZodRecord,
	ZodString,
	ZodTypeAny,
} from 'zod';

export type { AnyZodObject, ZodObject, ZodRawShape, ZodTypeAny };

const typed = (type: 'boolean' | 'number' | 'string') => generateZodSchema({ key: '', type });

/** The class of a schema that n8n-workflow exports. Its `create` makes others. */
const classOf = (schema: object): unknown => schema.constructor;

export const boolean = () => typed('boolean') as ZodBoolean;

export const number = () => typed('number') as ZodNumber;

export const string = () => typed('string') as ZodString;

export const any = () => {
	const { shape } = INodePropertyOptionsSchema as ZodTypeAny as AnyZodObject;
	return (classOf((shape.inputSchema as ZodOptional<ZodAny>).unwrap()) as typeof ZodAny).create();
};

export const enumOf = (values: string[]) =>
	(classOf(FieldTypeSchema) as typeof ZodEnum).create(values as [string, ...string[]]);

export const object = <Shape extends ZodRawShape>(shape: Shape): ZodObject<Shape> =>
	(classOf(HttpRequestOptionsSchema) as typeof ZodObject).create(shape);

export const record = () => (classOf(INodeCredentialsSchema) as typeof ZodRecord).create(any());

/** @throws NodeOperationError if n8n-workflow itself is another copy than n8n's: its schemas aren't recognized either */
export function checkCopy(context: IExecuteFunctions | ISupplyDataFunctions): void {
	const { workflow } = context as { workflow?: unknown };
	if (workflow === undefined || workflow instanceof Workflow) return;
	throw new NodeOperationError(
		context.getNode(),
		"A second copy of n8n-workflow is installed beside this package, so n8n doesn't recognize the tools. Remove it, restart n8n, and install packages by hand with npm install --omit=peer.",
	);
}
