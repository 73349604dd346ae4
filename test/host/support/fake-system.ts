import type { System } from '../../../src/node/host/browser/system.js'

interface FakeSystem {
  readonly platform?: NodeJS.Platform
  readonly env?: NodeJS.ProcessEnv
  readonly isRoot?: boolean
  /** Programs by path; a text is that of a script. */
  readonly programs?: Readonly<Record<string, string>>
  readonly texts?: Readonly<Record<string, string>>
}

/** A machine that has the given files and no others. */
export function fakeSystem({ programs = {}, texts = {}, ...rest }: FakeSystem): System {
  const paths = Object.keys(programs)
  return {
    platform: 'linux',
    env: {},
    isRoot: true,
    ...rest,
    isProgram: (path) => path in programs,
    describePath: (path) => (path in programs ? 'a program' : 'not there'),
    scriptAt: (path) => (programs[path]?.startsWith('#!') ? programs[path] : undefined),
    readText: (path) => texts[path],
    list: (folder) => {
      const inside = paths.filter((path) => path.startsWith(`${folder}/`))
      return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0]!))]
    },
  }
}
