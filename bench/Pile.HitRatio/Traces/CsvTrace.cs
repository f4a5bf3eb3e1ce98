using System;
using System.IO;

namespace Pile.HitRatio.Traces;

/// <summary>A trace in a file of lines <c>time,key,size</c>, as libCacheSim reads them; more columns are passed over. The first line may
/// be a header. A line that says nothing else ends the run, by its number: a trace with gaps would compare something else.</summary>
internal sealed class CsvTrace(string path) : ITrace
{
    public string Name => Path.GetFileNameWithoutExtension(path);

    public string Definition => $"the file {Path.GetFileName(path)}";

    public ITraceReader Open() => new Reader(path);

    private sealed class Reader(string path) : ITraceReader
    {
        private readonly StreamReader _lines = new(path);
        private long _line;

        public int Read(Span<Request> requests)
        {
            int count = 0;
            while (count < requests.Length && _lines.ReadLine() is { } line)
            {
                _line++;
                if (_line == 1 && CsvLine.IsHeader(line))
                {
                    continue;
                }

                requests[count++] = CsvLine.TryParse(line, out Request request) is { } wrong
                    ? throw new InvalidDataException($"{Path.GetFileName(path)}, line {_line}: {wrong}")
                    : request;
            }

            return count;
        }

        public void Dispose() => _lines.Dispose();
    }
}
