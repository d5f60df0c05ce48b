import type { EntitySchema, RequiredEntityData } from '@mikro-orm/postgresql'
import type { Tx } from './open-database.ts'

/**
 * Makes a row to be inserted with the transaction. Nullable fields that are left out are null from the start, so that the
 * row can be answered and emitted as it will be read later.
 */
export function newRow<T extends object>(tx: Tx, entity: EntitySchema<T>, data: RequiredEntityData<T>): T {
  const nullable = tx
    .getMetadata(entity)
    .props.filter(prop => prop.nullable)
    .map(prop => [prop.name, null])
  return tx.create(entity, { ...Object.fromEntries(nullable), ...data } as RequiredEntityData<T>)
}
