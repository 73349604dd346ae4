const { NO_COLOR, TERM } = process.env
const colorful = process.stdout.isTTY === true && !NO_COLOR && TERM !== 'dumb'
const style = (code) => (text) => (colorful ? `\u001b[${code}m${text}\u001b[0m` : text)
const dim = style(2)
const bold = style(1)
const red = style(31)

/** Who said it: what isn't listed was reported by the watch. */
const SOURCES = {
  sidecar: 'sidecar',
  listening: 'page',
  match: 'match',
  health: 'health',
  connection: 'client',
  trouble: 'trouble',
  host: 'host',
  exit: 'exit',
  browser: 'browser',
  page: 'page',
  player: 'player',
  platform: 'platform',
}

/** Prints what happens, one line each, with the seconds since the start. */
export function createReport() {
  const start = Date.now()

  function line(source, text) {
    const seconds = ((Date.now() - start) / 1000).toFixed(2).padStart(6)
    console.log(`${dim(`${seconds} s`)}  ${source.padEnd(8)} ${text}`)
  }

  return {
    /** Something that happened: where from, and in words what. */
    news({ kind, text }) {
      const source = SOURCES[kind]
      if (source === undefined) line('watch', `${kind.padEnd(11)}${kind === 'state' ? bold(text) : text}`)
      else line(source, kind === 'trouble' ? red(text) : text)
    },
  }
}
