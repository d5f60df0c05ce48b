import {
  accessesOf,
  keyScopeOf,
  merchantAccesses,
  needsFreshLogin,
  type Operation,
  operations,
  operatorAccesses,
} from '@cobro/contracts'

const introduction = `# Operations

Generated from \`packages/contracts\` by \`npm run generate\`. Do not edit.

- **Callers**: \`anyone\` needs no credential; \`key\` is an API key, \`client\` a merchant's user, \`operator\` an operator, \`acquirer\` the acquirer's signature.
- **Access**: of the operators, and behind a slash of the merchants' users, that may call it; \`all\` where all may.
- **Fresh**: users must have logged in, or confirmed their login, within the last five minutes. Large refunds need it too.
- **Approval**: where \`DUAL_CONTROL\` is on, an operator's call waits for a second operator: \`always\`, or \`above limit\`, where it moves more than \`DUAL_CONTROL_CENTS\`.
- **Scope**: \`merchant\` works on the data of the caller's merchant, or of the one that an operator states; \`all merchants\` is for operators whose scope is all merchants.
- **Key scope**: the scope that an API key with scopes needs.
- **Limit**: \`caller\` counts against the key, the user or, without a credential, the address; \`login\` is the stricter limit of an address; \`none\` is not counted.
- **Target**: the path parameter with the id that the audit log records as \`target_id\`.
- **Audit**: the category of the call in the audit log; failures with a 5xx are recorded as \`error\`.
`

const columns = [
  'Method',
  'Path',
  'Operation',
  'Callers',
  'Access',
  'Fresh',
  'Approval',
  'Scope',
  'Key scope',
  'Limit',
  'Target',
  'Audit',
  'Service',
]

/** Returns `docs/operations.md`: each operation's callers and what follows from its declaration. */
export function operationsTable(): string {
  const rows = [columns, ...operations.toSorted(byPath).map(cellsOf)]
  const widths = columns.map((_, at) => Math.max(...rows.map(cells => cells[at]?.length ?? 0)))
  const [head, ...body] = rows.map(cells => lineOf(cells.map((cell, at) => cell.padEnd(widths[at] ?? 0))))
  return `${introduction}\n${[head, lineOf(widths.map(width => '-'.repeat(width))), ...body].join('\n')}\n`
}

function lineOf(cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}

function byPath(a: Operation, b: Operation): number {
  return a.path === b.path ? a.method.localeCompare(b.method) : a.path < b.path ? -1 : 1
}

function cellsOf(operation: Operation): string[] {
  const {
    method,
    path,
    id,
    callers,
    tenant,
    scope,
    limit = 'caller',
    target = '',
    audit,
    service,
    approval = '',
  } = operation
  const who = callers.map(kind => (kind === 'payer' ? 'anyone' : kind)).join(', ')
  const scopeText = scope === 'all-merchants' ? 'all merchants' : tenant ? 'merchant' : ''
  const needed = keyScopeOf(operation)
  const isOfUsers = callers.some(kind => kind === 'client' || kind === 'operator')
  const fresh = isOfUsers && needsFreshLogin(operation) ? 'yes' : ''
  const keyScope = needed ? `\`${needed}\`` : ''
  return [
    method,
    `\`${path}\``,
    id,
    who,
    accessText(operation),
    fresh,
    approval.replace('_', ' '),
    scopeText,
    keyScope,
    limit,
    target,
    audit,
    service,
  ]
}

/** Returns the accesses by role: `admin, finance / owner`. */
function accessText(operation: Operation): string {
  const { operator, client } = accessesOf(operation)
  const named = (some: readonly string[], all: readonly string[]) =>
    some.length === all.length ? 'all' : some.join(', ')
  return [named(operator, operatorAccesses), named(client, merchantAccesses)].filter(text => text !== '').join(' / ')
}
