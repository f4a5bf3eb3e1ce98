// The cache server as a program. What it is made of is Running/ServerProgram's; what it does is in docs/PROTOCOL.md.
// It ends when it is told to, with everything flushed.
using Pile.Server.Running;

return await ServerProgram.RunAsync(args).ConfigureAwait(false);
