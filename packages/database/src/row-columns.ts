import { isDeepStrictEqual } from 'node:util'
import { isDate, isUint8Array } from 'node:util/types'
import {
  BigIntType,
  BlobType,
  type EntityMetadata,
  type EntityProperty,
  isRaw,
  JsonType,
  type Platform,
} from '@mikro-orm/core'
import type { EntityName, Opt } from '@mikro-orm/postgresql'
import { boundValue } from './compile-statement.ts'
import type { Reader } from './transaction.ts'

/** The columns of an entity, without MikroORM's `Opt` markers. */
export type RowData<T> = {
  [K in keyof T & string]: T[K] extends Opt<infer Plain> | null ? Plain | Extract<T[K], null> : T[K]
}

/** A row as an object whose properties are the columns. */
export type Row = Record<string, unknown>

/** How a column is read and written. Values are converted as MikroORM converts them. */
export interface Column {
  name: string
  nullable: boolean
  /** Converts what `pg` returns, if that is not the value already. Not called for null. */
  read: ((stored: unknown) => unknown) | undefined
  /** Returns the value as a parameter of a statement, which no change of the row changes. That of a time is a number. */
  snapshot: (value: unknown) => unknown
  /** Whether two snapshots, neither of them null, are of equal values. */
  isSame: (before: unknown, now: unknown) => boolean
  /** Whether the parameter of a statement is the value and not its snapshot. */
  isTime: boolean
  /** Returns the value as a part of JSON that `json_populate_recordset` reads. */
  inJson: (value: unknown) => unknown
  /** Returns the value of a new row that has none. */
  initial: ((row: Row) => unknown) | undefined
}

/** An entity's table and columns. */
export interface Shape {
  metadata: EntityMetadata
  table: string
  /** The names of the primary key's columns, and their positions in `columns`. */
  key: string[]
  keyColumns: number[]
  /** All columns that are stored. */
  columns: Column[]
  /** Those that `findRow` reads: all but the lazy ones. */
  read: string[]
  /** The columns to convert after a read. */
  converted: { name: string; read: (stored: unknown) => unknown }[]
  /** The columns that each change of a row sets. */
  updated: { name: string; onUpdate: (row: Row) => unknown }[]
}

const shapes = new WeakMap<object, Shape>()

/** Returns the shape of an entity, which is made once. */
export function shapeOf<T extends object>(em: Reader, entity: EntityName<T>): Shape {
  const metadata: EntityMetadata = em.getMetadata(entity)
  const known = shapes.get(metadata)
  if (known) return known
  const made = newShape(metadata, tableOf(em, entity), em.getDriver().getPlatform())
  shapes.set(metadata, made)
  return made
}

/** Returns the name of an entity's table with its schema. */
export function tableOf<T extends object>(em: Reader, entity: EntityName<T>): string {
  return em.getDriver().getTableName(em.getMetadata(entity), {}, false)
}

/** Returns a condition or an assignment for each column, with a placeholder. */
export const valuesOf = (columns: string[], separator: ' and ' | ', '): string =>
  columns.map(column => `${quoted(column)} = ?`).join(separator)

/** Quotes the name of a column, which is that of the entity's property. */
export const quoted = (column: string): string => `"${column}"`

/** Converts a row that `pg` returned, in place. */
export function convertRow(shape: Shape, stored: object): Row {
  const row = stored as Row
  for (const { name, read } of shape.converted) {
    const value = row[name]
    if (value !== null && value !== undefined) row[name] = read(value)
  }
  return row
}

function newShape(metadata: EntityMetadata, table: string, platform: Platform): Shape {
  if (metadata.relations.length > 0 || metadata.versionProperty)
    throw new Error(`${metadata.className} has relations or versions, which only MikroORM can write.`)
  const stored = metadata.props.filter(({ persist }) => persist !== false)
  const columns = stored.map(property => columnOf(property, platform))
  return {
    ...{ metadata, table, columns, key: metadata.primaryKeys },
    keyColumns: metadata.primaryKeys.map(key => stored.findIndex(({ name }) => name === key)),
    read: stored.filter(({ lazy }) => !lazy).map(({ name }) => name),
    converted: columns.flatMap(({ name, read }) => (read ? [{ name, read }] : [])),
    updated: stored.flatMap(({ name, onUpdate }) =>
      onUpdate ? [{ name, onUpdate: (row: Row) => Reflect.apply(onUpdate, undefined, [row]) }] : [],
    ),
  }
}

function columnOf(property: EntityProperty, platform: Platform): Column {
  const { name, nullable = false } = property
  return { name, nullable, ...conversionOf(property, platform), initial: initialOf(property) }
}

function initialOf({ onCreate, default: value }: EntityProperty): Column['initial'] {
  if (onCreate) return row => Reflect.apply(onCreate, undefined, [row])
  return value === undefined || value === null || isRaw(value) ? undefined : () => value
}

type Conversion = Pick<Column, 'read' | 'snapshot' | 'isSame' | 'isTime' | 'inJson'>

const asItIs = (value: unknown): unknown => value
const isIdentical = (before: unknown, now: unknown): boolean => before === now

function conversionOf(property: EntityProperty, platform: Platform): Conversion {
  const { customType: type, runtimeType } = property
  if (!type && runtimeType === 'Date') return dateConversion(platform)
  if (!type) return plain
  if (type instanceof BigIntType && type.mode === 'number') return { ...plain, read: Number }
  const context = { mode: 'serialization' } as const
  const read = (stored: unknown) => type.convertToJSValue(stored, platform, context)
  const snapshot = (value: unknown) => type.convertToDatabaseValue(value, platform, context)
  const custom = { ...plain, read, snapshot, inJson: (value: unknown) => jsonValue(snapshot(value)) }
  if (type instanceof JsonType) return { ...custom, isSame: isSameJson, inJson: asItIs }
  if (type instanceof BlobType) return { ...custom, isSame: isSameBytes }
  return custom
}

const plain: Conversion = {
  ...{ read: undefined, snapshot: asItIs, isSame: isIdentical, isTime: false },
  inJson: jsonValue,
}

function dateConversion(platform: Platform): Conversion {
  // A time without a zone is UTC, as all that this service writes.
  const read = (stored: unknown) => {
    if (typeof stored !== 'string') return stored
    return platform.parseDate(/(?:Z|[+-]\d\d(?::?\d\d)*)$/.test(stored.slice(10)) ? stored : `${stored}Z`)
  }
  return { ...plain, read, isTime: true, snapshot: value => (isDate(value) ? value.getTime() : value) }
}

/** JSON has no order of names, and the database returns it in another one than it was written in. */
function isSameJson(before: unknown, now: unknown): boolean {
  return before === now || isDeepStrictEqual(JSON.parse(String(before)), JSON.parse(String(now)))
}

const isSameBytes = (before: unknown, now: unknown): boolean =>
  isUint8Array(before) && isUint8Array(now) && Buffer.compare(before, now) === 0

/** Returns a value in JSON, as the text from which the database reads it. `pg` replaces unpaired surrogates, JSON would keep them. */
function jsonValue(value: unknown): unknown {
  const bound = boundValue(value)
  if (typeof bound === 'string') return bound.toWellFormed()
  if (isUint8Array(bound)) return `\\x${Buffer.from(bound).toString('hex')}`
  return typeof bound === 'bigint' || (typeof bound === 'number' && !Number.isFinite(bound)) ? String(bound) : bound
}
