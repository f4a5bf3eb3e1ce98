// What a verb works with: where its output goes and in which form, how it opens piles, how it shows progress, who may stop it.
// One a run. A verb writes its output at its end, once: a document of JSON, or text.
using System;
using System.CommandLine;
using System.Globalization;
using System.IO;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Threading;
using Pile.Cache;
using Pile.Client;
using Pile.Tool.Entries;
using Pile.Tool.Output;

namespace Pile.Tool.Running;

/// <summary>The surroundings of one run.</summary>
internal sealed class VerbRun : IDisposable
{
    private readonly Lazy<StandardStream> _stream = new(static () => new StandardStream());
    private readonly StopSignals _signals = new();
    private bool _isTorn;
    private bool _isInLines;

    private readonly ParseResult _parsed;

    internal VerbRun(string verb, string? where, ParseResult parsed, bool isJson, bool isQuiet)
    {
        Verb = verb;
        _parsed = parsed;
        bool isAddress = where is not null && Place.IsAddress(where);
        Directory = isAddress ? null : where;
        Address = isAddress ? where : null;
        IsJson = isJson;
        IsQuiet = isQuiet;
    }

    internal string Verb { get; }

    /// <summary>The directory that the verb is about, as it was given; null for verbs without one.</summary>
    internal string? Directory { get; }

    /// <summary>The server that the verb is about, as it was given; null for verbs without one.</summary>
    internal string? Address { get; }

    internal bool IsJson { get; }

    internal bool IsQuiet { get; }

    /// <summary>The clock of rates and durations.</summary>
    internal TimeProvider Clock { get; } = TimeProvider.System;

    /// <summary>Cancelled when the user wants the command to end.</summary>
    internal CancellationToken Stop => _signals.Token;

    /// <summary>How a command ends that was asked to end.</summary>
    internal ExitCode StopCode => _signals.Code;

    /// <summary>Standard output, for bytes.</summary>
    internal Stream Stream => _stream.Value;

    /// <summary>Whether standard output is a terminal.</summary>
    internal static bool IsTerminal => !Console.IsOutputRedirected;

    /// <summary>Whether blocks and lines may be drawn: on a terminal that has them.</summary>
    internal static bool HasBlocks => IsTerminal && Console.OutputEncoding.CodePage == Encoding.UTF8.CodePage;

    /// <summary>Opens a pile and changes nothing: whatever state it is in, as far as that can be read. What it tells of damage is the
    /// verb's to report.</summary>
    internal ObjectPile OpenToRead(string directory) => Open(directory, new PileOptions { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true });

    /// <summary>Opens a pile to copy all of it: refused where something of it is lost.</summary>
    internal ObjectPile OpenWhole(string directory) => Open(directory, new PileOptions { OpenMode = PileOpenMode.ReadOnly });

    /// <summary>Opens a pile to change it.</summary>
    internal ObjectPile OpenToWrite(string directory) => Open(directory, new PileOptions { OpenMode = PileOpenMode.OpenExisting });

    /// <summary>Opens the cache of a directory, as a program would.</summary>
    internal PileCache OpenCache(string directory)
    {
        if (!CacheTables.HasAny(PileInspection.Of(directory, Stop)))
        {
            throw new ToolException(ExitCode.NoPile, $"'{Path.GetFullPath(directory)}' holds a pile without a cache. 'pile ls' and 'pile show' look into piles; pile-server and programs make caches.");
        }

        var options = new PileCacheOptions { BackgroundCleaning = false };
        return PileCache.Own(Open(directory, PileCache.PileOptionsOf(options, tiny: null, isInFiles: true) with { OpenMode = PileOpenMode.OpenExisting }), options, regions: null);
    }

    /// <summary>The entries of the cache that the verb is about.</summary>
    internal IEntries OpenEntries() => Address is null ? new DirectoryEntries(OpenCache(Directory!), Directory!) : new ServerEntries(Connect(), Stop);

    /// <summary>A client of the server that the verb is about. It connects with its first call.</summary>
    /// <param name="isLong">Whether a call may take as long as it takes.</param>
    /// <param name="isBatching">Whether many calls are made at once.</param>
    internal PileClient Connect(bool isLong = false, bool isBatching = false) => ServerLogin.Connect(_parsed, Address!, isLong, isBatching);

    /// <summary>Runs a work that may take long, with progress on standard error unless that is not wanted.</summary>
    /// <param name="what">The work, in a word or two.</param>
    /// <param name="ofBytes">Whether its progress is in bytes, else in objects.</param>
    /// <param name="work">The work.</param>
    internal T WithProgress<T>(string what, bool ofBytes, Func<Meter, T> work)
    {
        var meter = new Meter(what, ofBytes, Clock);
        return IsQuiet ? work(meter)
            : Console.IsErrorRedirected ? ProgressLines.Run(meter, Say, () => work(meter))
            : ProgressBar.Run(meter, () => work(meter));
    }

    /// <summary>Writes the output.</summary>
    /// <param name="json">Writes the members of the document.</param>
    /// <param name="text">Writes the text.</param>
    internal void Write(Action<Utf8JsonWriter> json, Action<TextOutput> text)
    {
        if (IsJson)
        {
            WriteDocument(json);
            return;
        }

        using (var writer = new StreamWriter(Stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true) { NewLine = "\n" })
        {
            text(new TextOutput(writer, WidthOf(IsTerminal)));
        }

        Stream.Flush();
    }

    /// <summary>Begins an output that goes on: each document of it is on one line, that of a failure too.</summary>
    internal void BeginLines() => _isInLines = true;

    /// <summary>Writes a part of an output that goes on: a document on one line, or text, after what it begins with on a terminal.</summary>
    internal void WriteAgain(Action<Utf8JsonWriter> json, Action<TextOutput> text, string? before = null)
    {
        if (before is not null && !IsJson)
        {
            Stream.Write(Encoding.UTF8.GetBytes(before));
        }

        Write(json, text);
    }

    /// <summary>Says something beside the output: on standard error.</summary>
    internal void Say(string message) => Console.Error.WriteLine(TextOutput.Clean($"pile {Verb}: {message}"));

    /// <summary>Tells a failure: on standard error, and as the document where one was asked for.</summary>
    internal void Fail(Exception failure, ExitCode code)
    {
        string message = Failures.MessageOf(failure, Verb);
        Say(message);
        if (code == ExitCode.Defect && Environment.GetEnvironmentVariable("PILE_TRACE") == "1")
        {
            Console.Error.WriteLine(failure);
        }

        WriteError(code, message, Failures.ProcessOf(failure), (failure as PileException)?.Path);
    }

    /// <summary>Tells a failure as the document, where one was asked for. Where standard output takes nothing, the code and standard error say it.</summary>
    /// <param name="code">How the command ends.</param>
    /// <param name="message">What went wrong.</param>
    /// <param name="processId">The process that is in the way, or 0.</param>
    /// <param name="path">The file that it is about, or null.</param>
    internal void WriteError(ExitCode code, string message, int processId = 0, string? path = null)
    {
        if (!IsJson || _isTorn)
        {
            return;
        }

        try
        {
            WriteDocument(json => WriteError(json, code, message, processId, path));
        }
        catch (IOException)
        {
            // Its reader is gone, its device is full, or it is what failed.
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _signals.Dispose();

    private ObjectPile Open(string directory, PileOptions options) => WithProgress(
        "opening",
        ofBytes: true,
        meter => ObjectPile.OpenAsync(directory, options with { BackgroundCleaning = false }, meter.As<PileRecoveryProgress>(static at => (at.Bytes, at.TotalBytes)), Stop).GetAwaiter().GetResult());

    private void WriteDocument(Action<Utf8JsonWriter> members)
    {
        using (var json = new Utf8JsonWriter(Stream, new JsonWriterOptions { Indented = !_isInLines, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, NewLine = "\n" }))
        {
            try
            {
                json.WriteStartObject();
                json.WriteString("verb", Verb);
                if (Directory is not null)
                {
                    json.WriteString("directory", Path.GetFullPath(Directory));
                }
                else if (Address is not null)
                {
                    json.WriteString("server", Address);
                }

                members(json);
                json.WriteEndObject();
            }
            catch
            {
                // Nothing of it has been written, unless it is long: then what follows is no document either.
                _isTorn = json.BytesCommitted > 0;
                json.Reset();
                throw;
            }
        }

        Stream.WriteByte((byte)'\n');
        Stream.Flush();
    }

    private static void WriteError(Utf8JsonWriter json, ExitCode code, string message, int processId, string? path)
    {
        json.WriteStartObject("error");
        json.WriteString("code", code.ToString());
        json.WriteNumber("exitCode", (int)code);
        json.WriteString("message", message);
        if (processId > 0)
        {
            json.WriteNumber("processId", processId);
        }

        if (path is not null)
        {
            json.WriteString("path", path);
        }

        json.WriteEndObject();
    }

    private static int WidthOf(bool isTerminal) =>
        int.TryParse(Environment.GetEnvironmentVariable("COLUMNS"), NumberStyles.None, CultureInfo.InvariantCulture, out int columns) && columns > 0 ? columns
        : isTerminal ? Console.WindowWidth
        : 0;
}
