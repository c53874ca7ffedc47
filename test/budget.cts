// Budgets of what is read: a page, or the types that an AI builder gets. More than is meant is told, and not held
// against a change that has nothing to do with it. Only twice as much is a fault.

export function withinBudget(what: string, count: number, most: number, unit: string): void {
	if (count > most) process.stderr.write(`${what}: ${count} ${unit}, ${most} are meant\n`);
	expect(count).toBeLessThanOrEqual(2 * most);
}
