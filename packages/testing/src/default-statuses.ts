interface Description {
  info: { description: string }
  components: { responses: { default: { description: string } } }
}

/**
 * Returns a function that returns which statuses `default` stands for at an operation of an OpenAPI
 * description: those that the introduction names for all operations, and those of credentials where
 * the operation names them.
 */
export function defaultStatusesOf({
  info,
  components,
}: Description): (operation: { description?: string }) => ReadonlySet<number> {
  const lines = [...components.responses.default.description.matchAll(/^- (\d{3}) (`\w+`)/gm)]
  const ofAll = /^Every operation may answer .*$/m.exec(info.description)?.[0]
  if (!ofAll || lines.length === 0) throw new Error('The description does not say which errors operations share.')
  return ({ description = '' }) => {
    const named = `${ofAll} ${/^Errors: .*$/m.exec(description)?.[0]}`
    return new Set(lines.filter(([, , code = '']) => named.includes(code)).map(([, status]) => Number(status)))
  }
}
