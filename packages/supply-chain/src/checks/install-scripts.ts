import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, parseDocument } from 'yaml'

/** A package whose installation runs a script unless pnpm denies it. */
export interface ScriptedPackage {
  name: string
  version: string
}

/** The parts of the workspace that decide whose scripts run. */
export interface ScriptRules {
  /** The text of `pnpm-workspace.yaml`. */
  workspace: string
  /** The text of `pnpm-lock.yaml`. */
  lockfile: string
  /** The installed packages that have scripts. */
  scripted: readonly ScriptedPackage[]
}

/**
 * Returns a line for each installed package with an install script that `allowBuilds` neither
 * allows nor denies, for each entry without a reason, and for each entry without a package.
 */
export function installScriptViolations({ workspace, lockfile, scripted }: ScriptRules): string[] {
  const entries = buildRules(workspace)
  const names = new Set(entries.map(({ name }) => name))
  const unlisted = scripted.filter(({ name }) => !names.has(name))
  return [
    ...unlisted.map(
      ({ name, version }) => `${name}@${version}: allow or deny its install script in allowBuilds, with a reason`,
    ),
    ...entries.filter(({ reason }) => !reason).map(({ name }) => `${name}: its entry in allowBuilds needs a reason`),
    ...entries
      .filter(({ name }) => !lockfile.includes(`\n  ${name}@`) && !lockfile.includes(`\n  '${name}@`))
      .map(({ name }) => `${name}: its entry in allowBuilds names no package of the lockfile`),
    ...(/^dangerouslyAllowAllBuilds:/m.test(workspace) ? ['dangerouslyAllowAllBuilds: remove it'] : []),
  ]
}

/** Returns the packages in `allowBuilds`, with the comment behind each. */
function buildRules(workspace: string): { name: string; reason: string | undefined }[] {
  const rules = parseDocument(workspace).get('allowBuilds')
  if (!isMap(rules)) throw new Error('pnpm-workspace.yaml has no allowBuilds.')
  return rules.items.map(({ key, value }) => ({
    name: String(isScalar(key) ? key.value : key),
    reason: (isScalar(value) && value.comment) || undefined,
  }))
}

/** Returns the packages installed under a root of which pnpm would run a script. */
export function scriptedPackages(root: string): ScriptedPackage[] {
  return packageFolders(root).flatMap(folder => {
    const { name, version, scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    // pnpm compiles a package that has this file and no script of its own.
    const compiled = existsSync(join(folder, 'binding.gyp'))
    const scripted = ['preinstall', 'install', 'postinstall'].some(script => script in scripts)
    return compiled || scripted ? [{ name, version }] : []
  })
}

/** Returns the folders of the packages that pnpm installed under a root. */
export function packageFolders(root: string): string[] {
  const store = join(root, 'node_modules', '.pnpm')
  return readdirSync(store)
    .map(folder => join(store, folder, 'node_modules'))
    .filter(folder => existsSync(folder))
    .flatMap(modules => packageNames(modules).map(name => join(modules, name)))
    .filter(folder => !lstatSync(folder).isSymbolicLink() && existsSync(join(folder, 'package.json')))
}

/** Returns the names of the packages in a `node_modules`, with their scopes. */
const packageNames = (modules: string) =>
  readdirSync(modules).flatMap(name =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map(one => join(name, one)) : [name],
  )
