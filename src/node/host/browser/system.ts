import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'

/** The machine, as far as finding a browser needs it. */
export interface System {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
  /** Why there is no file at a path that this user may run; undefined if there is one. */
  problemWith(path: string): string | undefined
  readText(path: string): string | undefined
  /** Names in a folder; empty if the folder is missing. */
  list(folder: string): readonly string[]
}

export const thisSystem: System = {
  platform: process.platform,
  env: process.env,
  isRoot: process.getuid?.() === 0,
  problemWith(path) {
    const found = attempt(() => statSync(path))
    if (found === undefined) return 'not there'
    if (!found.isFile()) return found.isDirectory() ? 'a folder' : 'no file'
    const mayRun = attempt(() => {
      accessSync(path, constants.X_OK)
      return true
    })
    return mayRun ? undefined : 'not executable'
  },
  readText: (path) => attempt(() => readFileSync(path, 'utf8')),
  list: (folder) => attempt(() => readdirSync(folder)) ?? [],
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** The command that installs a browser, by the ID of /etc/os-release. */
const BY_DISTRIBUTION: Readonly<Record<string, string>> = {
  debian: 'apt-get update && apt-get install --yes --no-install-recommends chromium-headless-shell fonts-dejavu-core',
  // Ubuntu's own package installs a snap, which needs a daemon that containers lack.
  ubuntu: 'npx --yes playwright install --with-deps --only-shell chromium',
  alpine: 'apk add chromium-headless-shell font-dejavu',
  fedora: 'dnf install -y chromium-headless dejavu-sans-fonts',
  arch: 'pacman -S --noconfirm chromium',
}

/** The one command with which this system gets a browser. */
export function installHint({ platform, isRoot, readText }: System): string {
  if (platform === 'darwin') return 'brew install --cask google-chrome'
  if (platform === 'win32') return 'winget install --id Google.Chrome'
  const release = readText('/etc/os-release') ?? readText('/usr/lib/os-release') ?? ''
  const valueOf = (key: string): string =>
    new RegExp(`^${key}=["']?([^"'\\n]*)["']?\\s*$`, 'm').exec(release)?.[1]?.toLowerCase() ?? ''
  // The system's own ID, then the IDs of similar systems (`ID_LIKE`).
  const ids = `${valueOf('ID')} ${valueOf('ID_LIKE')}`.split(' ')
  const command = ids.flatMap((id) => BY_DISTRIBUTION[id] ?? [])[0] ?? BY_DISTRIBUTION['ubuntu']!
  return isRoot || command.startsWith('npx') ? command : `sudo ${command.replaceAll(' && ', ' && sudo ')}`
}
