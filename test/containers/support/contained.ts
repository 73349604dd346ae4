/** A command whose mounts and processes end with this process, however it ends. */
export const contained = (command: readonly string[]): string[] => [
  ...['setpriv', '--pdeathsig=KILL'],
  ...['unshare', '--mount', '--mount-proc', '--pid', '--fork', '--kill-child'],
  ...command,
]
