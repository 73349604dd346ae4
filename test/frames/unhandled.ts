/** The next rejection that nobody handles, which the test runner would take for a failure of the test. */
export const unhandled = async (cause: () => void): Promise<unknown> => {
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  try {
    return await new Promise((resolve) => {
      process.once('unhandledRejection', resolve)
      cause()
    })
  } finally {
    for (const listener of others) process.on('unhandledRejection', listener)
  }
}
