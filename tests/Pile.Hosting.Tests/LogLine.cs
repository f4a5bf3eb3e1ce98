using System;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting.Tests;

/// <summary>A line that was logged.</summary>
internal sealed record LogLine(string Category, LogLevel Level, EventId Id, string Message, Exception? Exception);
