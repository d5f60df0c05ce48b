import type { Component, Sbom } from '../sbom/cyclonedx.ts'
import type { ImageContent } from './image-content.ts'
import { imageSbom } from './image-sbom.ts'

const npm = (name: string, version: string): Component => {
  const purl = `pkg:npm/${name}@${version}`
  return { type: 'library', name, version, purl, 'bom-ref': purl }
}
const service = npm('gateway', '0.1.0')
const sbom: Sbom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { timestamp: '2026-01-02T03:04:05.000Z', component: service },
  components: [npm('zod', '4.0.0'), npm('argon2-darwin', '2.0.0')],
  dependencies: [
    { ref: 'pkg:npm/gateway@0.1.0', dependsOn: ['pkg:npm/zod@4.0.0', 'pkg:npm/argon2-darwin@2.0.0'] },
    { ref: 'pkg:npm/argon2-darwin@2.0.0' },
  ],
}
const content: ImageContent = {
  node: '24.21.0',
  system: { id: 'debian', version: '12' },
  systemPackages: [{ name: 'libstdc++6', version: '12.2.0-14+deb12u1', architecture: 'amd64' }],
  packages: ['zod@4.0.0'],
  sbom,
}
const image = { name: 'cobro/gateway', version: '1.0.0', id: `sha256:${'ab'.repeat(32)}` }

describe('imageSbom', () => {
  test('imageSbom lists the service, its packages, Node and the packages of the operating system', () => {
    const { metadata, components } = imageSbom(image, content)
    expect(metadata.component).toMatchObject({ type: 'container', hashes: [{ content: 'ab'.repeat(32) }] })
    expect(components.map(({ purl }) => purl)).toEqual([
      'pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-12',
      'pkg:generic/node@24.21.0',
      'pkg:npm/gateway@0.1.0',
      'pkg:npm/zod@4.0.0',
    ])
  })

  test('imageSbom leaves out packages that the image does not contain, also as dependencies', () => {
    expect(imageSbom(image, content).dependencies).toEqual([
      { ref: 'cobro/gateway', dependsOn: ['pkg:npm/gateway@0.1.0'] },
      { ref: 'pkg:npm/gateway@0.1.0', dependsOn: ['pkg:npm/zod@4.0.0'] },
    ])
  })

  test('imageSbom rejects an image with a package that its SBOM does not list', () => {
    const packages = ['zod@4.0.0', 'npm@11.0.0']
    expect(() => imageSbom(image, { ...content, packages })).toThrow(
      'cobro/gateway has packages that its SBOM does not list: npm@11.0.0',
    )
  })

  test('imageSbom returns the same document for the same content', () => {
    expect(imageSbom(image, content)).toEqual(imageSbom(image, structuredClone(content)))
  })
})
