// Of an error, only the status is read.
module.exports = (status, from) =>
  Object.assign(from instanceof Error ? from : new Error(String(status)), from, { status })
