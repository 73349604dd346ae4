import type { System } from './system.js'

/** The command that installs a browser, by the ID of /etc/os-release. */
const BY_DISTRIBUTION: Readonly<Record<string, string>> = {
  debian: 'apt-get update && apt-get install --yes --no-install-recommends chromium-headless-shell fonts-dejavu-core',
  // Its own package leads to a snap, which needs a daemon that containers don't have.
  ubuntu: 'npx --yes playwright install --with-deps --only-shell chromium',
  alpine: 'apk add chromium-headless-shell font-dejavu',
  fedora: 'dnf install -y chromium-headless dejavu-sans-fonts',
  arch: 'pacman -S --noconfirm chromium',
}

/** The one command with which this system gets a browser. */
export function installHint(system: System): string {
  switch (system.platform) {
    case 'darwin':
      return 'brew install --cask google-chrome'
    case 'win32':
      return 'winget install --id Google.Chrome'
    default: {
      const command = distributions(system).flatMap((id) => BY_DISTRIBUTION[id] ?? [])[0] ?? BY_DISTRIBUTION['ubuntu']!
      const needsRoot = !command.startsWith('npx')
      return needsRoot && !system.isRoot ? sudo(command) : command
    }
  }
}

const sudo = (command: string): string =>
  command
    .split(' && ')
    .map((part) => `sudo ${part}`)
    .join(' && ')

/** The system's ID, then those of the systems that it is like. */
function distributions(system: System): string[] {
  const text = system.readText('/etc/os-release') ?? system.readText('/usr/lib/os-release') ?? ''
  const valueOf = (key: string): string =>
    new RegExp(`^${key}=["']?([^"'\\n]*)["']?\\s*$`, 'm').exec(text)?.[1]?.toLowerCase() ?? ''
  return `${valueOf('ID')} ${valueOf('ID_LIKE')}`.split(' ').filter((id) => id !== '')
}
