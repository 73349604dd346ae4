/**
 * Reads a Dockerfile of the kind that `init` writes: stages, each with its instructions. An instruction that isn't known
 * here throws, so that none is skipped in silence.
 */
const KNOWN = ['FROM', 'COPY', 'RUN', 'ENV', 'WORKDIR', 'USER', 'EXPOSE', 'ENTRYPOINT', 'CMD']

export function readDockerfile(text) {
  const stages = []
  for (const line of joinedLines(text)) {
    const [, keyword, rest] = /^(\S+)\s+(.*)$/s.exec(line) ?? [line, '', '']
    if (!KNOWN.includes(keyword)) throw new Error(`No ${keyword || 'instruction'} is known here: ${line}`)
    if (keyword === 'FROM') {
      const [, image, , name] = /^(\S+)(\s+AS\s+(\S+))?$/i.exec(rest)
      stages.push({ image, name: name ?? '', instructions: [] })
    } else {
      stages.at(-1).instructions.push({ keyword, ...readers[keyword](rest) })
    }
  }
  return stages
}

const words = (text) => text.split(/\s+/).filter((word) => word !== '')

const readers = {
  COPY(rest) {
    const all = words(rest)
    const flags = new Map(all.filter((word) => word.startsWith('--')).map((flag) => flag.slice(2).split('=', 2)))
    const paths = all.slice(flags.size)
    const { from, chmod, ...unknown } = Object.fromEntries(flags)
    if (Object.keys(unknown).length > 0) throw new Error(`COPY has a flag that isn't known here: ${rest}`)
    return { from, chmod, sources: paths.slice(0, -1), to: paths.at(-1) }
  },
  RUN: (command) => ({ command }),
  ENV: (rest) => ({ variables: Object.fromEntries(words(rest).map((pair) => pair.split('=', 2))) }),
  WORKDIR: (path) => ({ path }),
  USER: (user) => ({ user }),
  EXPOSE: (port) => ({ port: Number(port) }),
  ENTRYPOINT: (list) => ({ words: JSON.parse(list) }),
  CMD: (list) => ({ words: JSON.parse(list) }),
}

/** One line for each instruction: comments are left out, and a backslash at the end of a line joins it to the next. */
function joinedLines(text) {
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
}
