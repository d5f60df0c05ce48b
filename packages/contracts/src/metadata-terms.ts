import { z } from 'zod'
import type { Metadata } from './metadata.ts'

const maxSegments = 5
const maxText = 200
const segment = /^[A-Za-z0-9_-]+$/
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** The way to a scalar field of metadata: names joined by dots, at most five. */
export const metadataPath = z.string().refine(isPath, { error: 'expected names joined by dots, at most 5' })

/** The text form of a scalar, as JavaScript prints it. */
export const metadataText = z
  .string()
  .max(maxText, { error: `expected at most ${maxText} characters` })
  .refine(text => text.isWellFormed() && !text.includes('\0'), { error: 'expected well-formed text' })

function isPath(path: string): boolean {
  const names = path.split('.')
  return names.length <= maxSegments && names.every(name => segment.test(name) && !forbidden.has(name))
}

/** What a transaction with that field is found by. */
export function metadataTerm(path: string, text: string): string {
  return `${path}=${text}`
}

/** Every scalar field of metadata that can be searched for: of a path that may be asked for, and not longer than may be. */
export function metadataTerms(metadata: Metadata | null | undefined): string[] {
  return [...termsBelow(metadata ?? {}, [])]
}

function* termsBelow(object: object, above: string[]): Generator<string> {
  for (const [name, value] of Object.entries(object)) {
    const path = [...above, name]
    if (!segment.test(name) || forbidden.has(name) || path.length > maxSegments) continue
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) yield* termsBelow(value, path)
    else if (!Array.isArray(value) && String(value).length <= maxText) yield metadataTerm(path.join('.'), String(value))
  }
}
