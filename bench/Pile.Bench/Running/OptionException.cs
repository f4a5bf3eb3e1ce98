using System;

namespace Pile.Bench.Running;

/// <summary>A command line that can't be followed; the message names the word.</summary>
internal sealed class OptionException(string message) : Exception(message);
