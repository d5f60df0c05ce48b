/** What an operator's access can be. */
export const operatorAccesses = ['admin', 'finance', 'support', 'auditor'] as const
/** What the access of a merchant's user can be. */
export const merchantAccesses = ['owner', 'developer', 'finance', 'viewer'] as const

export type OperatorAccess = (typeof operatorAccesses)[number]
export type MerchantAccess = (typeof merchantAccesses)[number]

/** The accesses of users that may do something. */
interface Accesses {
  readonly operators: readonly OperatorAccess[]
  readonly clients: readonly MerchantAccess[]
}

interface Area {
  readonly write: Accesses
  /** By default everyone. */
  readonly read?: Accesses
}

const everyone: Accesses = { operators: operatorAccesses, clients: merchantAccesses }
const admins = { operators: ['admin'], clients: [] } as const
const money = { operators: ['admin', 'finance'], clients: ['owner', 'finance'] } as const

/**
 * The areas of work that operations belong to, with the accesses that may write in each. `read` covers the GET
 * operations, `write` all others. Callers that an operation does not allow stay excluded.
 */
const areas = {
  /** About the caller itself. */
  caller: { write: everyone },
  payments: { write: { operators: ['admin'], clients: ['owner', 'developer', 'finance'] } },
  refunds: { write: { operators: ['admin', 'finance', 'support'], clients: ['owner', 'finance'] } },
  /** Records of payments, disputes, settlements, terms and bank details. */
  money: { write: money },
  branches: { write: { operators: ['admin'], clients: ['owner', 'developer', 'finance'] } },
  webhooks: { write: { operators: ['admin'], clients: ['owner', 'developer'] } },
  keys: { write: { operators: ['admin'], clients: ['owner', 'developer'] } },
  merchants: { write: admins },
  users: {
    write: { operators: ['admin'], clients: ['owner'] },
    read: { operators: operatorAccesses, clients: ['owner'] },
  },
  /** The calls and the lifecycles that a merchant may read. */
  history: { write: everyone },
  log: { write: admins, read: { operators: ['admin', 'auditor'], clients: [] } },
} as const satisfies Record<string, Area>

/** An area of work that an operation belongs to. */
export type AccessArea = keyof typeof areas

/** Returns the accesses whose users may call an operation of an area, by role. */
export function accessesIn(area: AccessArea, method: string): Accesses {
  const { write, read = everyone }: Area = areas[area]
  return method === 'GET' ? read : write
}
