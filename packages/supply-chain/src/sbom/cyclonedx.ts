import { createHash } from 'node:crypto'

/** The parts of a CycloneDX 1.6 document that are read or written here. */
export interface Sbom {
  $schema: string
  bomFormat: 'CycloneDX'
  specVersion: '1.6'
  serialNumber?: string
  version: number
  metadata: { timestamp?: string; component: Component } & Record<string, unknown>
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

/** A package, a program or an image. */
export interface Component {
  type: string
  name: string
  group?: string
  version?: string
  purl?: string
  'bom-ref'?: string
  hashes?: Hash[]
  licenses?: License[]
  externalReferences?: { type: string; url: string; hashes?: Hash[] }[]
  properties?: { name: string; value: string }[]
}

type Hash = { alg: string; content: string }
/** An SPDX id, another name, or an SPDX expression. */
type License = { license: { id: string } | { name: string } } | { expression: string }

/**
 * Returns the same document with sorted lists, the given time, and a serial number that is derived
 * from the content, so that the same packages always result in the same bytes.
 */
export function reproducible(sbom: Sbom, timestamp: string | undefined): Sbom {
  const { serialNumber: _, ...document } = sbom
  const { timestamp: __, ...metadata } = sbom.metadata
  const sorted = {
    ...document,
    metadata: { ...(timestamp && { timestamp }), ...metadata },
    components: sbom.components.toSorted(by(refOf)),
    dependencies: sbom.dependencies
      .map(({ ref, dependsOn }) => ({ ref, ...(dependsOn && { dependsOn: dependsOn.toSorted() }) }))
      .toSorted(by(({ ref }) => ref)),
  }
  return { ...sorted, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(sorted))}` }
}

/** Returns an npm package's name with its scope. */
export const fullName = ({ group, name }: Component): string => (group ? `${group}/${name}` : name)

/** Returns the name and version of an npm package, as in `zod@4.0.0`. */
export const nameAndVersion = (component: Component): string => `${fullName(component)}@${component.version}`

const refOf = (component: Component) => component['bom-ref'] ?? component.name

const by =
  <T>(key: (item: T) => string) =>
  (a: T, b: T) =>
    key(a) < key(b) ? -1 : Number(key(a) > key(b))

/** Returns a UUID of version 8 (RFC 9562) that is derived from a text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
