export interface BrowserFlagOptions {
  readonly sandbox: boolean
  /** The folder for the browser's profile, which the host makes and deletes. */
  readonly profileDir: string
  /** Draws WebGL in software, which takes about half a core more. */
  readonly webgl?: boolean
  /** The most MB that the page's JavaScript heap may hold. */
  readonly maxOldSpace?: number | undefined
  /** Further flags, as `--browser-flag` gave them. */
  readonly extra?: readonly string[]
}

const ALWAYS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--in-process-gpu',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--mute-audio',
  // Without this flag, sound waits for a click.
  '--autoplay-policy=no-user-gesture-required',
  // Without this flag the browser hangs where /dev/shm isn't writable.
  '--disable-dev-shm-usage',
  '--disable-breakpad',
  '--renderer-process-limit=1',
  // Saves one process: 10 MB.
  '--enable-features=NetworkServiceInProcess2',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  '--window-size=320,240',
]

const NO_WEBGL = ['--disable-gpu', '--disable-software-rasterizer']
const WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']

/** Lets a page connect to a peer by this machine's addresses: a container can't resolve their mDNS names. */
const DISABLED_FEATURES = ['WebRtcHideLocalIpsWithMdns']

/** Flags of which the browser takes only the last, so that all values are joined. */
const JOINED: Readonly<Record<string, string>> = {
  '--disable-features': ',',
  '--enable-features': ',',
  '--js-flags': ' ',
}

/** The arguments to start Chromium or headless-shell with. */
export function browserFlags({ sandbox, profileDir, webgl, maxOldSpace, extra = [] }: BrowserFlagOptions): string[] {
  const isOpen = !sandbox || extra.includes('--no-sandbox')
  return [
    ...joined([
      ...ALWAYS,
      `--user-data-dir=${profileDir}`,
      ...(webgl ? WEBGL : NO_WEBGL),
      // With a sandbox, the browser needs a zygote to start.
      ...(isOpen ? ['--no-sandbox', '--no-zygote'] : []),
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
      ...(maxOldSpace === undefined ? [] : [`--js-flags=--max-old-space-size=${Math.floor(maxOldSpace)}`]),
      ...extra,
    ]),
    'about:blank',
  ]
}

const nameOf = (flag: string): string => flag.split('=')[0]!

/** Keeps each flag once, in its first place; joins all values of a list. */
function joined(flags: readonly string[]): string[] {
  const values = new Map<string, string>()
  for (const flag of flags) {
    const name = nameOf(flag)
    const separator = JOINED[name]
    const before = values.get(name)
    const isMore = separator !== undefined && before !== undefined
    values.set(name, isMore ? `${before}${separator}${flag.slice(name.length + 1)}` : flag)
  }
  return [...values.values()]
}
