import { installScriptViolations } from './install-scripts.ts'

const lockfile =
  "packages:\n\n  cpu-features@0.0.10:\n    resolution: {}\n\n  '@scarf/scarf@1.4.0':\n    resolution: {}\n"
const workspace = 'allowBuilds:\n  "@scarf/scarf": false # reports installations\n  cpu-features: true # compiles\n'
const scripted = [
  { name: 'cpu-features', version: '0.0.10' },
  { name: '@scarf/scarf', version: '1.4.0' },
]

describe('installScriptViolations', () => {
  test('installScriptViolations accepts packages that are allowed or denied with a reason', () => {
    expect(installScriptViolations({ workspace, lockfile, scripted })).toEqual([])
  })

  test('installScriptViolations names an installed package with a script that is not listed', () => {
    const added = [...scripted, { name: 'miner', version: '6.6.6' }]
    expect(installScriptViolations({ workspace, lockfile, scripted: added })).toEqual([
      'miner@6.6.6: allow or deny its install script in allowBuilds, with a reason',
    ])
  })

  test('installScriptViolations names an entry without a reason', () => {
    const bare = workspace.replace(' # compiles', '')
    expect(installScriptViolations({ workspace: bare, lockfile, scripted })).toEqual([
      'cpu-features: its entry in allowBuilds needs a reason',
    ])
  })

  test('installScriptViolations names an entry whose package is no longer in the lockfile', () => {
    const more = `${workspace}  features: false # was removed\n`
    expect(installScriptViolations({ workspace: more, lockfile, scripted })).toEqual([
      'features: its entry in allowBuilds names no package of the lockfile',
    ])
  })

  test('installScriptViolations rejects the setting that lets every script run', () => {
    const all = `dangerouslyAllowAllBuilds: true\n${workspace}`
    expect(installScriptViolations({ workspace: all, lockfile, scripted })).toEqual([
      'dangerouslyAllowAllBuilds: remove it',
    ])
  })
})
