// Nobody reads standard output any more: `pile ls | head` has its lines. The command ends without a word.
// A full device behind a redirection is another failure, and is told.
using System;
using System.IO;

namespace Pile.Tool.Running;

/// <summary>Standard output was closed by its reader.</summary>
internal sealed class OutputClosedException(Exception cause) : IOException("Standard output is closed.", cause);
