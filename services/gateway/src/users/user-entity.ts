import type { RowOf, users } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

type User = RowOf<typeof users>

/** A user: an operator with a scope of merchants, or a client of one merchant. */
export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.string().$type<User['id']>().primary(),
    email: p.string(),
    name: p.string().strictNullable(),
    password_hash: p.string().strictNullable(),
    setup_token_hash: p.string().strictNullable(),
    setup_expires_at: p.datetime(3).strictNullable(),
    role: p.string().$type<User['role']>(),
    access: p.string().$type<User['access']>(),
    merchant_id: p.string().$type<User['merchant_id']>().strictNullable(),
    merchants: p.json<User['merchants']>().strictNullable(),
    status: p.string().$type<User['status']>(),
    /** When someone else last changed its credentials or its access, or created it. */
    credentials_since: p.datetime(3),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type UserRow = InferEntity<typeof UserEntity>

/** Normalizes an e-mail address for storage and comparison. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}
