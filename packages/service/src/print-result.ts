/** Prints the result of a command as one line of JSON. */
export function printResult(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
