import type { Sbom } from '../sbom/cyclonedx.ts'
import type { Docker } from './docker.ts'

/** What was found in an image. */
export interface ImageContent {
  /** Node's version without its `v`. */
  node: string
  /** `ID` and `VERSION_ID` of `/etc/os-release`. */
  system: { id: string; version: string }
  systemPackages: { name: string; version: string; architecture: string }[]
  /** The npm packages, as in `zod@4.0.0`. */
  packages: string[]
  /** The SBOM that the build put into the image. */
  sbom: Sbom
}

/** Returns the content of an image. Runs Node in it, as root so that it can read every directory. */
export async function imageContent(docker: Docker, image: string): Promise<ImageContent> {
  const output = await docker([
    'run',
    '--rm',
    '--network=none',
    '--read-only',
    '--user=0',
    '--entrypoint=node',
    image,
    '--eval',
    `(${readContent.toString()})()`,
  ])
  return JSON.parse(output)
}

/** Prints an `ImageContent`. Runs in the image, so it uses nothing of this file. */
function readContent(): void {
  const { execFileSync } = process.getBuiltinModule('node:child_process')
  const { existsSync, readdirSync, readFileSync } = process.getBuiltinModule('node:fs')
  const packages: string[] = []
  const open = ['/']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      // Links between packages and the kernel's own trees hold nothing else.
      if (entry.isDirectory() && !/^\/\/(proc|sys|dev)$/.test(path)) open.push(path)
    }
    // A package's own files may include such folders as fixtures, with names but no versions.
    const isPackage = /\/node_modules\/(@[^/]+\/)?[^/@.][^/]*$/.test(folder) && existsSync(`${folder}/package.json`)
    const { name, version } = isPackage ? JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) : {}
    if (name && version) packages.push(`${name}@${version}`)
  }
  const release = readFileSync('/etc/os-release', 'utf8')
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(release)?.[1]
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own fields
  const format = '${Package} ${Version} ${Architecture}\n'
  const installed = execFileSync('dpkg-query', ['--show', `--showformat=${format}`], { encoding: 'utf8' })
  const systemPackages = installed
    .trim()
    .split('\n')
    .map(line => line.split(' '))
    .map(([name, version, architecture]) => ({ name, version, architecture }))
  const content = {
    node: process.versions.node,
    system: { id: field('ID'), version: field('VERSION_ID') },
    systemPackages,
    packages: [...new Set(packages)].sort(),
    sbom: JSON.parse(readFileSync('sbom.cdx.json', 'utf8')),
  }
  process.stdout.write(JSON.stringify(content))
}
