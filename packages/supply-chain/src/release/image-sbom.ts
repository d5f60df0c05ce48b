import { userError } from '@cobro/local-stack/user-error'
import { type Component, nameAndVersion, reproducible, type Sbom } from '../sbom/cyclonedx.ts'
import type { ImageContent } from './image-content.ts'

/**
 * Returns the SBOM of an image: the service, those of its packages that are in the image, Node, and
 * the packages of the operating system. Throws if the image has an npm package that its own SBOM
 * does not list.
 */
export function imageSbom(image: { name: string; version: string; id: string }, content: ImageContent): Sbom {
  const { sbom, packages } = content
  const service = sbom.metadata.component
  const listed = new Set(sbom.components.map(nameAndVersion))
  const unlisted = packages.filter(one => !listed.has(one))
  if (unlisted.length > 0)
    throw userError(`${image.name} has packages that its SBOM does not list: ${unlisted.join(', ')}`)
  const inImage = new Set(packages)
  const components = [
    service,
    ...sbom.components.filter(one => inImage.has(nameAndVersion(one))),
    nodeComponent(content.node),
    ...systemComponents(content),
  ]
  const refs = new Set(components.map(one => one['bom-ref']))
  const container: Component = {
    type: 'container',
    name: image.name,
    version: image.version,
    'bom-ref': image.name,
    hashes: [{ alg: 'SHA-256', content: image.id.replace('sha256:', '') }],
  }
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(one => refs.has(one)) }))
  const document = {
    ...sbom,
    metadata: { ...sbom.metadata, component: container },
    components,
    dependencies: [...dependencies, { ref: image.name, dependsOn: [service['bom-ref'] ?? service.name] }],
  }
  return reproducible(document, sbom.metadata.timestamp)
}

function nodeComponent(version: string): Component & { cpe: string } {
  const purl = `pkg:generic/node@${version}`
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`
  return { type: 'platform', name: 'node', version, purl, 'bom-ref': purl, cpe, licenses: [{ license: { id: 'MIT' } }] }
}

function systemComponents({ system, systemPackages }: ImageContent): Component[] {
  return systemPackages.map(({ name, version, architecture }) => {
    const encoded = `${encodeURIComponent(name)}@${encodeURIComponent(version)}`
    const purl = `pkg:deb/${system.id}/${encoded}?arch=${architecture}&distro=${system.id}-${system.version}`
    return { type: 'library', name, version, purl, 'bom-ref': purl }
  })
}
