using System;

namespace Pile.Bench.Running;

/// <summary>A workload can't run here: what is missing, and where it comes from.</summary>
internal sealed class NotAvailableException(string message) : Exception(message);
